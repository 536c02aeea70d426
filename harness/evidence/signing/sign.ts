import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '../../document/digest.ts';
import { readRegularFile } from '../../document/regular-file.ts';
import { buildEnvelope } from './envelope.ts';
import { describeCause, SigningError, type SigningErrorCode } from './errors.ts';
import type { SigningKey } from './key.ts';

/** Every statement that a bundle can have; the first is always there. */
const STATEMENTS = ['statement.json', 'statement-boundary.json', 'statement-image.json'] as const;
const SUMS = 'SHA256SUMS';

/** Stored bytes of a bundle's statements, by file name. */
export type Statements = ReadonlyMap<string, Buffer>;

/**
 * The stored bytes of a bundle's statements, to be handed to `signEvidence` once the bundle was read back.
 *
 * @throws {SigningError} STATEMENT_UNREADABLE
 */
export async function readStatements(folder: string): Promise<Statements> {
  const statements = new Map<string, Buffer>();
  for (const path of STATEMENTS) {
    // Which ones must be there is the verifier's to say, but for the one that every bundle has.
    if (path !== STATEMENTS[0] && !(await isPresent(folder, path))) continue;
    statements.set(path, await readRegular(folder, path, 'STATEMENT_UNREADABLE'));
  }
  return statements;
}

/**
 * Signs a bundle: an envelope over the bytes of every statement, and their lines in `SHA256SUMS`.
 *
 * `folder` is absolute; `statements` are what was read before the verifier accepted the bundle, so that a
 * change since then is not signed. Each file appears complete or not at all, the lines last. Should the
 * process be killed in between, removing the envelopes gives the unsigned bundle back.
 *
 * @throws {SigningError} SIGNED_ALREADY, STATEMENT_UNREADABLE, STATEMENT_CHANGED, SUMS_UNREADABLE, SIGNATURE_UNWRITABLE
 */
export async function signEvidence(
  folder: string,
  statements: Statements,
  signer: SigningKey,
): Promise<void> {
  for (const path of STATEMENTS) await refuseSigned(folder, toEnvelopePath(path));
  await refuseChanged(folder, statements);
  const envelopes = new Map(
    [...statements].map(([path, bytes]) => [toEnvelopePath(path), buildEnvelope(bytes, signer)]),
  );
  const sums = addLines(await readRegular(folder, SUMS, 'SUMS_UNREADABLE'), envelopes);
  try {
    for (const [path, envelope] of envelopes) await replace(folder, path, envelope);
    await replace(folder, SUMS, sums);
  } catch (error) {
    for (const path of envelopes.keys()) await rm(join(folder, path), { force: true });
    throw error;
  }
}

/**
 * Takes the envelopes of an earlier signature away, so that another key can sign; no envelope is no error.
 *
 * Their lines go first: should the process be killed in between, removing the envelopes gives the unsigned bundle.
 * @throws {SigningError} SUMS_UNREADABLE, SIGNATURE_UNWRITABLE
 */
export async function removeSignature(folder: string): Promise<void> {
  const envelopes = STATEMENTS.map(toEnvelopePath);
  const sums = await readRegular(folder, SUMS, 'SUMS_UNREADABLE');
  const lines = linesOf(sums).filter((line) => !envelopes.includes(pathOf(line)));
  await replace(folder, SUMS, toSums(lines));
  for (const path of envelopes) await rm(join(folder, path), { force: true });
}

/** `statement.json` → `statement.dsse.json`. */
function toEnvelopePath(statement: string): string {
  return statement.replace(/\.json$/, '.dsse.json');
}

async function refuseSigned(folder: string, envelope: string): Promise<void> {
  if (!(await isPresent(folder, envelope))) return;
  throw new SigningError('SIGNED_ALREADY', 'evidence', {
    where: envelope,
    expected: 'evidence without a signature; --replace puts another in its place',
    actual: 'one',
  });
}

async function refuseChanged(folder: string, statements: Statements): Promise<void> {
  const now = await readStatements(folder);
  for (const path of STATEMENTS) {
    const [before, after] = [statements.get(path), now.get(path)];
    if (before === undefined ? after === undefined : after?.equals(before) === true) continue;
    throw new SigningError('STATEMENT_CHANGED', 'evidence', {
      where: path,
      expected: before === undefined ? 'none' : `sha256 ${sha256Hex(before)}, as when it was read back`,
      actual: after === undefined ? 'none' : 'other bytes',
    });
  }
}

async function isPresent(folder: string, path: string): Promise<boolean> {
  return lstat(join(folder, path)).then(
    () => true,
    () => false,
  );
}

/** Each envelope's line at its place in byte order of path, any older one dropped. */
function addLines(sums: Buffer, envelopes: ReadonlyMap<string, Buffer>): Buffer {
  const kept = linesOf(sums).filter((line) => !envelopes.has(pathOf(line)));
  const added = [...envelopes].map(([path, bytes]) => `${sha256Hex(bytes)}  ${path}`);
  return toSums(
    [...kept, ...added].sort((a, b) => Buffer.compare(Buffer.from(pathOf(a)), Buffer.from(pathOf(b)))),
  );
}

function linesOf(sums: Buffer): readonly string[] {
  return sums
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Behind 64 hex digits and two spaces. */
function pathOf(line: string): string {
  return line.slice(66);
}

function toSums(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
}

async function readRegular(folder: string, path: string, code: SigningErrorCode): Promise<Buffer> {
  try {
    return await readRegularFile(join(folder, path));
  } catch (cause) {
    const details = { where: path, expected: 'a regular file', actual: describeCause(cause), cause };
    throw new SigningError(code, 'evidence', details);
  }
}

/** Written beside the bundle, not in it: a killed process must not leave a file that the list does not know. */
async function replace(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(folder), `.${basename(folder)}.${path}.${process.pid}.partial`);
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(folder, path));
  } catch (cause) {
    await rm(temporary, { force: true });
    const details = { where: path, expected: 'a writable folder', actual: describeCause(cause), cause };
    throw new SigningError('SIGNATURE_UNWRITABLE', 'evidence', details);
  }
}
