import type { Node } from 'yaml';
import type { ArchiveSource, CompiledArchive } from '../archive.ts';
import { ARCHIVE_BYTES_LIMIT, STRIP_LIMIT } from '../limits.ts';
import { KEYS, WORDS } from './keys.ts';
import type { Places } from './places.ts';
import type { Problems } from './problems.ts';
import {
  addOnce,
  type Fields,
  readFields,
  readFormed,
  readInteger,
  readList,
  readText,
  readWord,
} from './read.ts';

const NAME = { pattern: /^[a-z0-9][a-z0-9._-]{0,63}$/, expected: 'a name like [a-z0-9][a-z0-9._-]*' };
const SHA256 = { pattern: /^[0-9a-f]{64}$/, expected: 'a sha256 in lower-case hex' };
/** An exact version: what a tag means changes. Source: semver 2.0.0, without build metadata. */
const PACKAGE =
  /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)@([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?)$/;
const PLAIN_FILE = /^(?!\/)(?:(?!\.{1,2}(?:\/|$))[^/\u0000\\]+\/)*(?!\.{1,2}$)[^/\u0000\\]+$/;
const REQUIRED = ['name', 'sha256', 'sizeBytes', 'unpack'] as const;

/** The archives of a suite; it may have none. */
export function readArchives(
  node: Node | undefined,
  places: Places,
  problems: Problems,
): readonly CompiledArchive[] {
  if (node === undefined) return [];
  const seen = new Set<string>();
  return readList(node, problems, { min: 1 }).map((item, index) => {
    places.set(`/archives/${index}`, item);
    const fields = readFields(item, { keys: KEYS.archive, required: REQUIRED }, problems);
    return readArchive(fields, seen, problems);
  });
}

function readArchive(fields: Fields, seen: Set<string>, problems: Problems): CompiledArchive {
  const [nameNode, digest, size] = [fields.get('name'), fields.get('sha256'), fields.get('sizeBytes')];
  const [form, strip] = [fields.get('unpack'), fields.get('strip')];
  const name = nameNode === undefined ? '' : readFormed(nameNode, NAME, problems);
  if (nameNode !== undefined) addOnce(name, seen, nameNode, problems);
  const unpack = form === undefined ? 'none' : readWord(form, WORDS.unpack, problems);
  if (strip !== undefined && unpack === 'none') {
    problems.add(strip, 'VALUE_WRONG', { expected: 'no strip where nothing is unpacked', actual: 'one' });
  }
  return {
    name,
    sha256: digest === undefined ? '' : readFormed(digest, SHA256, problems),
    sizeBytes: size === undefined ? 0 : readInteger(size, { min: 1, max: ARCHIVE_BYTES_LIMIT }, problems),
    unpack,
    strip: strip === undefined ? 0 : readInteger(strip, { min: 0, max: STRIP_LIMIT }, problems),
    source: readSource(fields, problems),
  };
}

function readSource(fields: Fields, problems: Problems): ArchiveSource {
  const [file, npm] = [fields.get('file'), fields.get('npm')];
  if (file !== undefined && npm !== undefined) {
    problems.add(npm, 'KEY_CONFLICT', { expected: 'file or npm', actual: 'both' });
  }
  if (file !== undefined) {
    const path = readText(file, problems);
    if (path !== '' && !PLAIN_FILE.test(path)) {
      const expected = 'a relative path without empty, . and .. parts';
      problems.add(file, 'PATH_WRONG', { expected, actual: path });
    }
    return { kind: 'file', path };
  }
  if (npm === undefined) return { kind: 'given' };
  const [, name, version] = PACKAGE.exec(readText(npm, problems)) ?? [];
  if (name === undefined || version === undefined) {
    problems.add(npm, 'ID_WRONG', {
      expected: 'NAME@VERSION, an exact version',
      actual: readText(npm, problems),
    });
    return { kind: 'given' };
  }
  return { kind: 'npm', package: name, version };
}
