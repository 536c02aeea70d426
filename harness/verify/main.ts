import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parsePublicKey } from './dsse.ts';
import { DiskSource } from './files/disk-source.ts';
import { judgeOverlays, OverlayRequestError } from './overlays.ts';
import { parseRequirements, type Requirement } from './requirements.ts';
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
export async function runVerifier(args: readonly string[]): Promise<number> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values.version === true) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const [root] = positionals;
  if (root === undefined || positionals.length > 1) return refuse('expected one EVIDENCE folder');
  const expectations = toExpectations(values);
  if (typeof expectations === 'string') return refuse(expectations);
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
    return refuse(`--overlays: ${error.message}`);
  }
}

function refuse(message: string): number {
  process.stderr.write(`packproof-verify: ${escapeControls(message)}\n\n${USAGE}`);
  return USAGE_EXIT;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      candidate: { type: 'string' },
      suite: { type: 'string', multiple: true },
      nonce: { type: 'string' },
      key: { type: 'string' },
      'finished-after': { type: 'string' },
      require: { type: 'string', multiple: true },
      archives: { type: 'string' },
      replay: { type: 'string' },
      json: { type: 'boolean' },
      overlays: { type: 'boolean' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

type Values = ReturnType<typeof parse>['values'];

/** What was given, read; else what is wrong with it. */
function toExpectations(values: Values): Expectations | string {
  const candidateSha512 = values.candidate === undefined ? null : digestOf(values.candidate);
  if (candidateSha512 === undefined) return '--candidate: expected a readable file or 128 hex digits';
  const suites = values.suite ?? [];
  if (!suites.every((sha256) => /^[0-9a-f]{64}$/.test(sha256))) return '--suite: expected 64 hex digits';
  const keyPem = values.key === undefined ? null : readKey(values.key);
  if (keyPem === undefined) return '--key: expected a file with an ed25519 public key as SPKI PEM';
  const finishedAfter = values['finished-after'] ?? null;
  if (finishedAfter !== null && !isTime(finishedAfter)) {
    return '--finished-after: expected an RFC 3339 time such as 2026-01-02T03:04:05Z';
  }
  const archives = values.archives === undefined ? null : new DiskSource(values.archives);
  if (archives !== null && archives.isFolder() !== true) return '--archives: expected a folder';
  const requirements = (values.require ?? []).map(parseRequirements);
  const unknown = requirements.find((one) => 'unknown' in one);
  if (unknown !== undefined) return `--require: not known: ${unknown.unknown}`;
  const replay = values.replay === undefined ? null : readFile(values.replay);
  if (replay === undefined) return '--replay: expected a file that can be read';
  const demanded = requirements.flatMap((one) => ('requirements' in one ? one.requirements : []));
  const keyed = demanded.map(withKey);
  const keyless = keyed.find((one) => typeof one === 'string');
  if (keyless !== undefined) return `--require replayed-by: expected a public key file: ${keyless}`;
  return {
    candidateSha512,
    nonce: values.nonce ?? null,
    suites,
    keyPem,
    finishedAfter,
    ...(archives === null ? {} : { archives }),
    ...(replay === null ? {} : { replay }),
    requirements: keyed.filter((one) => typeof one !== 'string'),
  };
}

/** With the key itself in the place of its file; the file's name when there is no key in it. */
function withKey(requirement: Requirement): Requirement | string {
  if (requirement.kind !== 'replayed-by') return requirement;
  const pem = readKey(requirement.value);
  return pem === undefined ? requirement.value : { ...requirement, value: pem };
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

function digestOf(given: string): string | undefined {
  if (/^[0-9a-f]{128}$/.test(given)) return given;
  const bytes = readFile(given);
  return bytes === undefined ? undefined : createHash('sha512').update(bytes).digest('hex');
}

function readKey(path: string): string | undefined {
  const pem = readFile(path)?.toString('utf8');
  return pem === undefined || parsePublicKey(pem) === null ? undefined : pem;
}

function readFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
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
