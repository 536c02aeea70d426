import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';

/** What becomes of a value; `undefined` removes the member. */
export type Edit = (value: unknown) => unknown;

/** Statements, their envelopes and the sums are not listed by the index. */
const UNLISTED = /^(bundle\.json|SHA256SUMS|statement[^/]*)$/;
const STATEMENTS = ['statement.json', 'statement-boundary.json', 'statement-image.json'];

/** The value at a place such as `attempts[0].steps[1].name`, changed in a copy of the document. */
export function editAt(document: unknown, place: string, edit: Edit): unknown {
  const [, key, rest] = /^\.?([^.[\]]+|\[\d+\])(.*)$/s.exec(place) ?? [];
  if (key === undefined) return edit(document);
  const name = key.startsWith('[') ? key.slice(1, -1) : key;
  if (typeof document !== 'object' || document === null) throw new Error(`nothing at ${place}`);
  const copy: object = Array.isArray(document) ? [...document] : { ...document };
  const changed = editAt(Reflect.get(copy, name), rest ?? '', edit);
  if (changed !== undefined) Reflect.set(copy, name, changed);
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else Reflect.deleteProperty(copy, name);
  return copy;
}

/** Changes one canonical document and writes it in canonical form again. Digests stay as they were. */
export async function changeDocument(root: string, path: string, edit: Edit): Promise<void> {
  const document: unknown = JSON.parse(await readFile(join(root, path), 'utf8'));
  await writeFile(join(root, path), toCanonicalBytes(edit(document)));
}

/** The same for a file of one document a line; the edit gets the list of all. */
export async function changeLines(root: string, path: string, edit: Edit): Promise<void> {
  const text = await readFile(join(root, path), 'utf8');
  const lines: readonly unknown[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
  const changed = edit(lines);
  if (!Array.isArray(changed)) throw new Error('expected a list of lines');
  await writeFile(
    join(root, path),
    changed.map((line) => `${toCanonicalBytes(line).toString('utf8')}\n`).join(''),
  );
}

/**
 * Does what an attacker does after a change: lists the folder anew, binds the new list in the statements, and
 * writes the sums again, so that every digest is right and only the contradiction itself is left to be found.
 */
export async function reseal(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !UNLISTED.test(path))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const files = await Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(join(root, path));
      return { path, sizeBytes: bytes.length, sha256: sha256Hex(bytes) };
    }),
  );
  await changeDocument(root, 'bundle.json', (index) => editAt(index, 'files', () => files));
  const digests = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  digests.set('bundle.json', sha256Hex(await readFile(join(root, 'bundle.json'))));
  for (const path of STATEMENTS) {
    if (existsSync(join(root, path))) {
      await changeDocument(root, path, (statement) => rebind(statement, digests));
    }
  }
  await resum(root);
}

/** The value with the present digest of every file that it names anywhere. */
function rebind(value: unknown, digests: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => rebind(item, digests));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, rebind(member, digests)]),
  );
  const sha256 = digests.get(String(members['name']));
  return sha256 === undefined || members['digest'] === undefined
    ? members
    : { ...members, digest: { sha256 } };
}

/** Writes SHA256SUMS anew. */
export async function resum(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => path !== 'SHA256SUMS')
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines = await Promise.all(
    paths.map(async (path) => `${sha256Hex(await readFile(join(root, path)))}  ${path}\n`),
  );
  await writeFile(join(root, 'SHA256SUMS'), lines.join(''));
}
