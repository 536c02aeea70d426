import type { CompiledCase, CompiledCheck, Expectation, StdinPlan } from '../compiled.ts';
import { BASE_ENV, OUTPUT_DIRECTORY } from '../layout.ts';
import { BROKEN_PIPE } from '../signatures.ts';
import { ASKABLE, caseId, requiring, run, type SmokeBin } from './bin.ts';
import { check, smokeCase, step } from './build.ts';
import {
  all,
  atLeastBytes,
  ended,
  exited,
  exitedWith,
  matches,
  not,
  printedHelp,
  printedOnlyVersion,
  sameBytes,
  stderr,
  stdout,
} from './expect.ts';
import { IDLE_MS, LARGE_INPUT_BYTES, PIPE_BYTES } from './limits.ts';

const IDLE: StdinPlan = { kind: 'idle' };
const LARGE: StdinPlan = { kind: 'fill', sizeBytes: LARGE_INPUT_BYTES, thenClose: true };

/** Whether questions are answered without waiting for input; each has its own control with stdin closed. */
export function stdinCase(bin: SmokeBin): CompiledCase {
  const idle = { stdin: IDLE, timeoutMs: IDLE_MS };
  return smokeCase({
    id: caseId(bin, 'stdin'),
    topic: 'stdin',
    why: `${bin.name} answers without waiting for standard input`,
    requires: requiring(bin, ASKABLE),
    steps: [
      step('help', run(bin, '--help')),
      step('version', run(bin, '--version')),
      step('bare', run(bin)),
      step('help-idle', run(bin, '--help'), idle),
      step('version-idle', run(bin, '--version'), idle),
      step('help-large', run(bin, '--help'), { stdin: LARGE, timeoutMs: IDLE_MS }),
    ],
    // Not the large one: a filter that ignores its arguments copies what it is given.
    answers: ['help', 'version', 'help-idle', 'version-idle'],
    checks: stdinChecks(bin),
  });
}

function stdinChecks(bin: SmokeBin): readonly CompiledCheck[] {
  // A filter that ignores its arguments prints the same with and without them, and may wait for its input.
  const knowsHelp = all(
    exited('help'),
    printedHelp('help'),
    not(all(sameBytes(stdout('help'), stdout('bare')), sameBytes(stderr('help'), stderr('bare')))),
  );
  const knowsVersion = all(exited('version'), printedOnlyVersion('version', bin.version));
  return [
    check('stdin', 'stdin.help-idle', ended('help-idle'), { when: knowsHelp }),
    check('stdin', 'stdin.version-idle', ended('version-idle'), { when: knowsVersion }),
    check('stdin', 'stdin.help-large', ended('help-large'), { when: knowsHelp }),
  ];
}

/** For programs that read nothing: a compiler given megabytes of no program is rightly slow. */
export function unreadInputCase(bin: SmokeBin): CompiledCase {
  return smokeCase({
    id: caseId(bin, 'unread-input'),
    topic: 'unread-input',
    why: `${bin.name} ends although nobody reads what it is given`,
    requires: requiring(bin, ['cli']),
    steps: [step('bare', run(bin)), step('bare-large', run(bin), { stdin: LARGE, timeoutMs: IDLE_MS })],
    answers: [],
    checks: [check('unread-input', 'stdin.bare-large', ended('bare-large'), { when: ended('bare') })],
  });
}

const HELP_FILE = `${OUTPUT_DIRECTORY}/help.txt`;

/** Whether output arrives whole, wherever it goes. The first run takes what programs print only once. */
export function stdoutCase(bin: SmokeBin): CompiledCase {
  const help = run(bin, '--help');
  const bothEnded = all(exited('pipe'), exited('file'));
  return smokeCase({
    id: caseId(bin, 'stdout'),
    topic: 'stdout',
    why: `the output of ${bin.name} arrives whole in pipe and file`,
    requires: requiring(bin, ASKABLE),
    steps: [
      step('warm', help),
      step('pipe', help),
      step('file', help, { stdout: { file: HELP_FILE } }),
      step('closed', help, { stdout: { closeAfterBytes: 1 } }),
    ],
    answers: ['warm', 'pipe'],
    checks: [
      check(
        'stdout',
        'stdout.complete',
        { kind: 'file-not-longer', path: HELP_FILE, than: stdout('pipe') },
        { when: all(bothEnded, atLeastBytes(stdout('pipe'), PIPE_BYTES)) },
      ),
      check(
        'stdout',
        'stdout.same',
        { kind: 'file-equals-stream', path: HELP_FILE, of: stdout('pipe') },
        { when: bothEnded },
      ),
      check('stdout', 'stdout.closed-ends', ended('closed')),
      check('stdout', 'stdout.closed-quietly', not(matches(stderr('closed'), BROKEN_PIPE))),
      check('stdout', 'stdout.no-escapes', { kind: 'stream-no-escapes', of: stdout('pipe') }),
    ],
  });
}

/** A directory that cannot be written in any box, and one that does not exist. */
const READ_ONLY_HOME = '/';
const MISSING_HOME = '/nonexistent/home';

/** Whether surroundings that differ from machine to machine change the answer. */
export function environmentCase(bin: SmokeBin): CompiledCase {
  const help = run(bin, '--help');
  const { HOME: _home, ...homeless } = BASE_ENV;
  const names = [
    'warm',
    'plain',
    'no-colour',
    'zone',
    'locale',
    'home-missing',
    'home-read-only',
    'home-unset',
  ];
  const envs: readonly Readonly<Record<string, string>>[] = [
    BASE_ENV,
    BASE_ENV,
    { ...BASE_ENV, NO_COLOR: '1' },
    { ...BASE_ENV, TZ: 'Asia/Kolkata' },
    { ...BASE_ENV, LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' },
    { ...BASE_ENV, HOME: MISSING_HOME },
    { ...BASE_ENV, HOME: READ_ONLY_HOME },
    homeless,
  ];
  return smokeCase({
    id: caseId(bin, 'environment'),
    topic: 'environment',
    why: `${bin.name} answers the same in other surroundings`,
    requires: requiring(bin, ASKABLE),
    steps: envs.map((env, index) => step(names[index] ?? `run-${index}`, help, { env })),
    answers: names,
    checks: environmentChecks(),
  });
}

function environmentChecks(): readonly CompiledCheck[] {
  const plainWorks = exitedWith('plain', 0);
  const sameAs = (name: string): Expectation => sameBytes(stdout('plain'), stdout(name));
  const bothWork = (name: string): Expectation => all(plainWorks, exitedWith(name, 0));
  return [
    check('environment', 'colour.none', { kind: 'stream-no-escapes', of: stdout('no-colour') }),
    check('environment', 'zone.same', sameAs('zone'), { when: bothWork('zone') }),
    check('environment', 'locale.same', sameAs('locale'), { when: bothWork('locale') }),
    check('environment', 'home.missing', exitedWith('home-missing', 0), { when: plainWorks }),
    check('environment', 'home.read-only', exitedWith('home-read-only', 0), { when: plainWorks }),
    check('environment', 'home.unset', exitedWith('home-unset', 0), { when: plainWorks }),
  ];
}
