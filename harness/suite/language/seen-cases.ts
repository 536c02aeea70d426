import type { BinFact } from '../facts.ts';
import { readHelpNames } from './help-names.ts';

/** How a program answered once, inside the boundary. */
export interface SeenAnswer {
  /** Null when it did not exit by itself. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What evidence shows of a bin; null where it was not asked. */
export interface SeenBin {
  readonly help: SeenAnswer | null;
  readonly version: SeenAnswer | null;
  /** Of `MISTYPED`. */
  readonly mistyped: SeenAnswer | null;
}

/** The option that no program has; the generated suite asks for it too. */
export const MISTYPED = '--packproof-no-such-flag';

const STACK_LINE = '    at ';
const DEFAULTS = `      # Without a check of it, a step must exit with 0, write nothing to stderr and leave no process behind.
`;

/**
 * The cases of a bin as its recorded answers have them, each of which held once, and behind them, as comments, one
 * for each option and command that its help names: what they do is for the author to say.
 */
export function toSeenCases(bin: BinFact, id: string, seen: SeenBin, version: string): string {
  return [
    toVersionCase(bin, id, seen.version, version),
    toHelpCase(bin, id, seen.help),
    toMistypedCase(bin, id, seen.mistyped),
    toOutlines(bin, id, seen.help),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function toVersionCase(bin: BinFact, id: string, seen: SeenAnswer | null, version: string): string {
  if (seen === null) return '';
  if (seen.exitCode !== 0 || !seen.stdout.includes(version))
    return leftOut('--version', seen, ' and did not print the version');
  return `  - id: own.${id}.version
    why: bug reports and scripts ask for the version
    steps:
      - argv: [${programOf(bin)}, --version]
    checks:
${DEFAULTS}      - stdout: { includes: "\${version}" }
${noise(seen)}`;
}

function toHelpCase(bin: BinFact, id: string, seen: SeenAnswer | null): string {
  if (seen === null) return '';
  const names = namesOf(bin, seen);
  if (seen.exitCode !== 0 || seen.stdout.trim() === '')
    return leftOut('--help', seen, seen.exitCode === 0 ? ' and printed nothing' : '');
  const check =
    names.length === 0
      ? '      - stdout: { matching: "(?s).+" }\n        why: the help says something\n'
      : `      - stdout: { includes: [${names.map((name) => JSON.stringify(name)).join(', ')}] }
        why: what the help names is what users and scripts rely on
`;
  return `  - id: own.${id}.help
    why: people learn from the help what the program can do
    steps:
      - argv: [${programOf(bin)}, --help]
    checks:
${check}${noise(seen)}`;
}

function toMistypedCase(bin: BinFact, id: string, seen: SeenAnswer | null): string {
  if (seen === null) return '';
  if (seen.exitCode === null || seen.exitCode === 0) return leftOut(MISTYPED, seen, ', as if it were right');
  const stderr = seen.stderr.includes(STACK_LINE)
    ? '      - stderr: any\n        why: it shows the place in the program that noticed; better if it told what is wrong\n'
    : `      - stderr: { excludes: ["${STACK_LINE}"] }
        why: users are told what is wrong, not where the program noticed
`;
  return `  - id: own.${id}.unknown-option
    why: a misspelt option must not look like success
    steps:
      - argv: [${programOf(bin)}, ${MISTYPED}]
    checks:
      - termination: { exited: ${seen.exitCode} }
${stderr}`;
}

function toOutlines(bin: BinFact, id: string, seen: SeenAnswer | null): string {
  const names = seen === null || seen.exitCode !== 0 ? [] : namesOf(bin, seen);
  const own = names.filter((name) => !['--help', '-h', '--version', '-V', '-v', 'help'].includes(name));
  if (own.length === 0) return '';
  const outlines = own.map(
    (name) => `  # - id: own.${id}.${name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')}
  #   why: what users get by it
  #   steps:
  #     - argv: [${programOf(bin)}, ${name}]
  #   checks:
  #     - stdout: { includes: "…" }
`,
  );
  return `  # Its help names these too. Each is a case as soon as somebody says what it must do:\n  #\n${outlines.join('  #\n')}`;
}

function namesOf(bin: BinFact, seen: SeenAnswer): readonly string[] {
  const { options, commands } = readHelpNames(seen.stdout, bin.name);
  return [...options, ...commands];
}

/** A step that writes to stderr needs words for it: the default is that it does not. */
function noise(seen: SeenAnswer): string {
  return seen.stderr.trim() === ''
    ? ''
    : '      - stderr: any\n        why: it wrote there when it was seen\n';
}

function leftOut(flag: string, seen: SeenAnswer, words: string): string {
  const end = seen.exitCode === null ? 'did not exit by itself' : `exited with ${seen.exitCode}`;
  return `  # No case of ${flag}: it ${end}${words}.\n`;
}

/** The placeholder of a bin, in quotes: its name is the candidate's. */
export function programOf(bin: BinFact): string {
  return JSON.stringify(`\${bin:${bin.name}}`);
}
