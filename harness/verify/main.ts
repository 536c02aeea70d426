import { parseCommandLine, parseRoot, toExpectations } from './command-line.ts';
import { UsageError } from './errors.ts';
import { judgeOverlays, OverlayRequestError } from './overlays.ts';
import { type Expectations, type Verdict, verifyBundle } from './verify.ts';

const USAGE = `packproof-verify EVIDENCE [options]

Reads an evidence bundle back: nothing of it is believed that its own bytes do not show.

  --candidate FILE|SHA512   the archive it must be about
  --suite SHA256            a compiled suite that must be among its suites (may be given several times)
  --nonce TEXT              the nonce that was given to the run
  --key FILE                public key (SPKI PEM, ed25519) that must have signed it
  --finished-after TIME     RFC 3339 time after which the run must have ended
  --replay FILE             the document of a replay; with replayed-by=KEY, KEY must have signed it
  --archives DIR            archives under any names: builds the images' layers again and compares
  --require LIST            signed, shards-signed, boundary, all-cases, engine=NAME[@VERSION], node=VERSION,
                            harness=VERSION|SHA256, replayed-by=KEYFILE,
                            base=KIND|NAME@VERSION|rootfs@sha256:HEX|
                            image:REF@sha256:HEX (KIND: debian, rootfs, image)
  --json                    the verdict as one JSON document
  --overlays                judges EVIDENCE under changes that are told on stdin, one JSON document a line, and
                            answers each with a line; writes nothing
  --version, --help

Exit code: 4 when it is rejected, 2 for wrong usage, else the exit code of the run itself as re-derived from
its receipts.
`;

/** Written in when the one file is built; it stands nowhere else, because that file has nothing beside it. */
declare const PACKPROOF_VERSION: string | undefined;

function version(): string {
  return typeof PACKPROOF_VERSION === 'string' ? PACKPROOF_VERSION : 'not built';
}

const USAGE_EXIT = 2;
const REJECTED_EXIT = 4;

/** Runs the verifier's command line; resolves with the exit code. */
async function runVerifier(args: readonly string[]): Promise<number> {
  try {
    return await judge(args);
  } catch (error) {
    if (error instanceof UsageError) return refuse(error, args.includes('--json'));
    throw error;
  }
}

async function judge(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args);
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values.version === true) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const root = parseRoot(positionals);
  const expectations = toExpectations(values);
  if (values.overlays === true) return await answerOverlays(root, expectations);
  const verdict = await verifyBundle(root, expectations);
  process.stdout.write(values.json === true ? `${JSON.stringify(verdict)}\n` : toText(verdict));
  return verdict.runExitCode ?? REJECTED_EXIT;
}

/** Ends with stdin. What becomes of the evidence is in the answers, not in the exit code. */
async function answerOverlays(root: string, expectations: Expectations): Promise<number> {
  try {
    await judgeOverlays(root, expectations, {
      input: process.stdin,
      answer: (line) => process.stdout.write(line),
    });
    return 0;
  } catch (error) {
    if (!(error instanceof OverlayRequestError)) throw error;
    throw new UsageError('REQUEST_INVALID', 'request', {
      where: '--overlays',
      expected: 'one JSON document a line',
      actual: error.message,
    });
  }
}

/** One line for people; with `--json` the document that every packproof command gives of an error before its result. */
function refuse(error: UsageError, json: boolean): number {
  process.stderr.write(`packproof-verify: ${escapeControls(error.message)} [${error.code}]\n`);
  if (!json) return USAGE_EXIT;
  const { code, what, details } = error;
  const counts = { pass: 0, fail: 0, error: 0, unrun: 0, excluded: 0, unsupported: 0, flaky: 0 };
  const document = {
    formatVersion: 1,
    result: 'error',
    exitCode: USAGE_EXIT,
    error: { code, what, ...details },
    candidate: null,
    engine: null,
    counts,
    failures: [],
    audit: [],
    evidence: null,
    durationMs: Math.round(performance.now()),
  };
  process.stdout.write(`${JSON.stringify(document)}\n`);
  return USAGE_EXIT;
}

/** People's form. Every value in it may come from a hostile bundle, so control characters are escaped. */
function toText(verdict: Verdict): string {
  const counts = Object.entries(verdict.counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  const lines = [
    `${verdict.verdict}${verdict.runId === null ? '' : ` run ${verdict.runId}`}`,
    ...verdict.findings.map(
      (finding) => `  ${finding.code} ${finding.path}: expected ${finding.expected}, got ${finding.actual}`,
    ),
    ...(verdict.verdict === 'accepted'
      ? [`  run exit code ${verdict.runExitCode}: ${counts.join(', ')}`]
      : []),
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

// A reader that went away (`packproof-verify … | head`) changes nothing of what the evidence is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  process.exitCode = await runVerifier(process.argv.slice(2));
} catch (fault) {
  // A fault of the verifier itself: what it could not read to the end it does not accept.
  process.stderr.write(
    `packproof-verify: ${escapeControls(fault instanceof Error ? (fault.stack ?? '') : String(fault))}\n`,
  );
  process.exitCode = REJECTED_EXIT;
}
