import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Expectations, type Verdict, verifyBundle } from './verify.ts';

const USAGE = `packproof-verify EVIDENCE [--candidate FILE|SHA512] [--nonce TEXT] [--json]

Reads an evidence bundle back. Exit code: 4 when it is rejected, 2 for wrong usage,
else the exit code of the run itself as re-derived from its receipts.
`;

/** Runs the verifier's command line; returns the exit code. */
export function runVerifier(args: readonly string[]): number {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    process.stderr.write(
      `packproof-verify: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`,
    );
    return 2;
  }
  if (parsed.values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const root = parsed.positionals[0];
  if (root === undefined || parsed.positionals.length > 1) {
    process.stderr.write(`packproof-verify: expected one EVIDENCE folder\n\n${USAGE}`);
    return 2;
  }
  const expectations = toExpectations(parsed.values);
  if (expectations === null) {
    process.stderr.write('packproof-verify: --candidate: expected a readable file or 128 hex digits\n');
    return 2;
  }
  const verdict = verifyBundle(root, expectations);
  process.stdout.write(parsed.values.json === true ? `${JSON.stringify(verdict)}\n` : toText(verdict));
  return verdict.runExitCode ?? 4;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      candidate: { type: 'string' },
      nonce: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

function toExpectations(values: {
  candidate?: string | undefined;
  nonce?: string | undefined;
}): Expectations | null {
  const nonce = values.nonce ?? null;
  if (values.candidate === undefined) return { candidateSha512: null, nonce };
  if (/^[0-9a-f]{128}$/.test(values.candidate)) return { candidateSha512: values.candidate, nonce };
  try {
    const bytes = readFileSync(values.candidate);
    return { candidateSha512: createHash('sha512').update(bytes).digest('hex'), nonce };
  } catch {
    return null;
  }
}

/** People's form. Every value in it may come from a hostile bundle, so control characters are escaped. */
function toText(verdict: Verdict): string {
  const lines = [
    `${verdict.verdict}${verdict.runId === null ? '' : ` run ${verdict.runId}`}`,
    ...verdict.findings.map(
      (finding) => `  ${finding.code} ${finding.path}: expected ${finding.expected}, got ${finding.actual}`,
    ),
    ...(verdict.verdict === 'accepted' ? [`  run exit code ${verdict.runExitCode}`] : []),
    ...verdict.unchecked.map((item) => `  unchecked: ${item}`),
  ];
  return `${lines.map(escapeControls).join('\n')}\n`;
}

function escapeControls(line: string): string {
  return line.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

process.exitCode = runVerifier(process.argv.slice(2));
