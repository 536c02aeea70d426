import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parsePublicKey } from './dsse.ts';
import { UsageError, type UsageErrorCode } from './errors.ts';
import { DiskSource } from './files/disk-source.ts';
import { parseRequirements, REQUIREMENT_WORDS, type Requirement } from './requirements.ts';
import type { Expectations } from './verify.ts';

/** @throws {UsageError} FLAG_UNKNOWN, FLAG_VALUE */
export function parseCommandLine(args: readonly string[]) {
  try {
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
  } catch (error) {
    const isUnknown =
      error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    throw new UsageError(isUnknown ? 'FLAG_UNKNOWN' : 'FLAG_VALUE', 'command line', {
      where: 'options',
      expected: 'those of packproof-verify --help',
      actual: error instanceof Error ? error.message : String(error),
    });
  }
}

export type Values = ReturnType<typeof parseCommandLine>['values'];

/**
 * The one folder of evidence. A mistyped name is no evidence that was rejected.
 *
 * @throws {UsageError} ARGUMENT_MISSING, ARGUMENT_EXTRA, EVIDENCE_MISSING
 */
export function parseRoot(positionals: readonly string[]): string {
  const [root, extra] = positionals;
  const expected = 'one EVIDENCE folder';
  if (root === undefined) throw wrong('ARGUMENT_MISSING', 'EVIDENCE', expected, 'none');
  if (extra !== undefined) throw wrong('ARGUMENT_EXTRA', extra, expected, `${positionals.length}`);
  try {
    lstatSync(root);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new UsageError('EVIDENCE_MISSING', 'evidence', {
        where: root,
        expected: 'a folder of evidence',
        actual: 'nothing of this name',
      });
    }
  }
  return root;
}

/**
 * What was given from outside, read.
 *
 * @throws {UsageError} FLAG_VALUE
 */
export function toExpectations(values: Values): Expectations {
  const suites = values.suite ?? [];
  const unlike = suites.find((sha256) => !/^[0-9a-f]{64}$/.test(sha256));
  if (unlike !== undefined) throw wrongValue('--suite', '64 hex digits', unlike);
  const finishedAfter = values['finished-after'] ?? null;
  if (finishedAfter !== null && !isTime(finishedAfter)) {
    throw wrongValue('--finished-after', 'an RFC 3339 time such as 2026-01-02T03:04:05Z', finishedAfter);
  }
  const archives = values.archives === undefined ? null : new DiskSource(values.archives);
  if (archives !== null && archives.isFolder() !== true) {
    throw wrongValue('--archives', 'a folder', values.archives ?? '');
  }
  return {
    candidateSha512: values.candidate === undefined ? null : digestOf(values.candidate),
    nonce: values.nonce ?? null,
    suites,
    keyPem: values.key === undefined ? null : readKey('--key', values.key),
    finishedAfter,
    ...(archives === null ? {} : { archives }),
    ...(values.replay === undefined ? {} : { replay: readReplay(values.replay) }),
    requirements: (values.require ?? []).flatMap(toRequirements).map(withKey),
  };
}

function toRequirements(list: string): readonly Requirement[] {
  const parsed = parseRequirements(list);
  if ('requirements' in parsed) return parsed.requirements;
  throw wrongValue('--require', `of ${REQUIREMENT_WORDS.join(', ')}`, parsed.unknown);
}

/** With the key itself in the place of its file. */
function withKey(requirement: Requirement): Requirement {
  if (requirement.kind !== 'replayed-by') return requirement;
  return { ...requirement, value: readKey('--require replayed-by', requirement.value) };
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

function digestOf(given: string): string {
  if (/^[0-9a-f]{128}$/.test(given)) return given;
  const bytes = readFile(given);
  if (Buffer.isBuffer(bytes)) return createHash('sha512').update(bytes).digest('hex');
  throw wrongValue('--candidate', 'a readable file or 128 hex digits', `${given} (${bytes})`);
}

function readKey(flag: string, path: string): string {
  const bytes = readFile(path);
  const pem = Buffer.isBuffer(bytes) ? bytes.toString('utf8') : null;
  if (pem !== null && parsePublicKey(pem) !== null) return pem;
  const found = Buffer.isBuffer(bytes) ? whatIsNoPublicKey(bytes) : bytes;
  throw wrongValue(flag, 'a file with an ed25519 public key as SPKI PEM', `${path} (${found})`);
}

/** Both halves lie side by side, and whoever types the shorter name gives the wrong one. */
function whatIsNoPublicKey(bytes: Buffer): string {
  return bytes.includes('PRIVATE KEY-----')
    ? 'a private key in it; its public half is meant, which keygen writes to a file in .pub'
    : 'something else in it';
}

function readReplay(path: string): Buffer {
  const bytes = readFile(path);
  if (Buffer.isBuffer(bytes)) return bytes;
  throw wrongValue('--replay', 'a file that can be read', `${path} (${bytes})`);
}

/** The bytes, else the name of the error. */
function readFile(path: string): Buffer | string {
  try {
    return readFileSync(path);
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}

function wrongValue(flag: string, expected: string, actual: string): UsageError {
  return new UsageError('FLAG_VALUE', 'flag', { where: flag, expected, actual });
}

function wrong(code: UsageErrorCode, where: string, expected: string, actual: string): UsageError {
  return new UsageError(code, 'command line', { where, expected, actual });
}
