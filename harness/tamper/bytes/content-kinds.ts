import { type BaseBundle, isLines } from '../base-bundle.ts';
import { bytesOf, type Change, deleted, fileOf, type Piece, sliceOf } from '../change.ts';
import type { Draft, Kind } from '../kind.ts';
import { documentOf } from '../places.ts';

/** Files beyond this are changed through pieces of themselves alone, never held as a whole. */
const HELD_BYTES = 4 * 1024 * 1024;
/** One byte more than the verifier parses of a document. Source: the verifier's own limit, 64 MiB. */
const OVERSIZE_BYTES = 64 * 1024 * 1024 + 1;

interface Subject {
  readonly bundle: BaseBundle;
  readonly path: string;
  readonly sizeBytes: number;
}

/** Null: this file gives no opportunity. */
type Remake = (subject: Subject) => readonly Piece[] | null;

/** The bytes of each file changed in one way; no digest follows. */
function contentKind(id: string, what: string, remake: Remake, perField = 1): Kind {
  return {
    id,
    level: 'a',
    what,
    perField,
    drafts: function* (bundle) {
      for (const path of bundle.paths()) {
        const sizeBytes = sizeOf(bundle, path);
        const pieces = remake({ bundle, path, sizeBytes });
        if (pieces !== null) yield toDraft(path, () => [fileOf(path, ...pieces)]);
      }
    },
  };
}

function sizeOf(bundle: BaseBundle, path: string): number {
  return bundle.files.get(path)?.sizeBytes ?? bundle.read(path).length;
}

function toDraft(path: string, changes: () => readonly Change[]): Draft {
  return { document: documentOf(path), field: '', place: path, changes };
}

const flipAt =
  (where: (sizeBytes: number) => number, bit: number): Remake =>
  ({ bundle, path, sizeBytes }) => {
    if (sizeBytes === 0) return null;
    const at = where(sizeBytes);
    const byte = bundle.read(path)[at] ?? 0;
    return [sliceOf(path, 0, at), bytesOf(Buffer.from([byte ^ bit])), sliceOf(path, at + 1, sizeBytes)];
  };

const append =
  (content: string | readonly number[]): Remake =>
  ({ path, sizeBytes }) => [
    sliceOf(path, 0, sizeBytes),
    bytesOf(typeof content === 'string' ? content : Buffer.from(content)),
  ];

/** Another text of a text file that is held; null where it is none or stays as it is. */
const retext =
  (edit: (text: string) => string): Remake =>
  ({ bundle, path, sizeBytes }) => {
    if (sizeBytes === 0 || sizeBytes > HELD_BYTES) return null;
    const before = bundle.read(path);
    const after = Buffer.from(edit(before.toString('latin1')), 'latin1');
    return after.equals(before) ? null : [bytesOf(after)];
  };

/** The same value spelled in another way. */
const respell =
  (spell: (value: unknown) => string): Remake =>
  ({ bundle, path, sizeBytes }) => {
    if (!path.endsWith('.json') || sizeBytes > HELD_BYTES) return null;
    return [bytesOf(spell(JSON.parse(bundle.read(path).toString('utf8'))))];
  };

export const CONTENT_KINDS: readonly Kind[] = [
  contentKind(
    'first-bit-flipped',
    'a bit of the first byte turned',
    flipAt(() => 0, 1),
  ),
  contentKind(
    'middle-bit-flipped',
    'a bit in the middle turned',
    flipAt((size) => Math.floor(size / 2), 4),
    2,
  ),
  contentKind(
    'last-bit-flipped',
    'a bit of the last byte turned',
    flipAt((size) => size - 1, 1),
  ),
  contentKind(
    'high-bit-flipped',
    'a high bit turned, which ends UTF-8',
    flipAt((size) => Math.floor(size / 3), 128),
  ),
  contentKind('last-byte-cut', 'the last byte cut off', ({ path, sizeBytes }) =>
    sizeBytes === 0 ? null : [sliceOf(path, 0, sizeBytes - 1)],
  ),
  contentKind('first-byte-cut', 'the first byte cut off', ({ path, sizeBytes }) =>
    sizeBytes === 0 ? null : [sliceOf(path, 1, sizeBytes)],
  ),
  contentKind('half-cut', 'the second half cut off', ({ path, sizeBytes }) =>
    sizeBytes < 2 ? null : [sliceOf(path, 0, Math.floor(sizeBytes / 2))],
  ),
  contentKind('emptied', 'nothing left of a file', ({ sizeBytes }) => (sizeBytes === 0 ? null : [])),
  contentKind('zeroed', 'zeros in the same number', ({ sizeBytes }) =>
    sizeBytes === 0 ? null : [{ kind: 'fill', byte: 0, sizeBytes }],
  ),
  contentKind('byte-appended', 'a byte put at the end', append('x')),
  contentKind('nul-appended', 'a NUL put at the end', append([0])),
  contentKind('newline-appended', 'a line feed put at the end', append('\n')),
  contentKind('space-appended', 'a space put at the end', append(' ')),
  contentKind('byte-order-mark', 'a byte order mark put before', ({ path, sizeBytes }) => [
    bytesOf('\ufeff'),
    sliceOf(path, 0, sizeBytes),
  ]),
  contentKind('byte-inserted', 'a byte put into the middle', ({ path, sizeBytes }) => {
    const at = Math.floor(sizeBytes / 2);
    return sizeBytes === 0 ? null : [sliceOf(path, 0, at), bytesOf('0'), sliceOf(path, at, sizeBytes)];
  }),
  contentKind('halves-exchanged', 'both halves exchanged', ({ bundle, path, sizeBytes }) => {
    const at = Math.floor(sizeBytes / 2);
    if (sizeBytes < 2 || sizeBytes > HELD_BYTES) return null;
    const before = bundle.read(path);
    const after = Buffer.concat([before.subarray(at), before.subarray(0, at)]);
    return after.equals(before) ? null : [bytesOf(after)];
  }),
  contentKind('doubled', 'a file put after itself', ({ path, sizeBytes }) =>
    sizeBytes === 0 ? null : [sliceOf(path, 0, sizeBytes), sliceOf(path, 0, sizeBytes)],
  ),
  contentKind(
    'line-ends-changed',
    'line feeds made CR LF',
    retext((text) => text.replaceAll('\n', '\r\n')),
  ),
  contentKind(
    'letter-case-changed',
    'letters made capitals',
    retext((text) => text.toUpperCase()),
  ),
  contentKind(
    'pretty-printed',
    'the same value with spaces',
    respell((value) => JSON.stringify(value, null, 1)),
  ),
  contentKind('keys-turned', 'the same value with its members in another order', respell(turnKeys)),
  {
    id: 'line-dropped',
    level: 'a',
    what: 'a line taken out of a file of lines',
    perField: 1,
    drafts: function* (bundle) {
      for (const path of bundle.paths().filter((one) => isLines(one) || one === 'SHA256SUMS')) {
        const lines = bundle.read(path).toString('utf8').split('\n');
        if (lines.length < 2) continue;
        yield toDraft(path, () => [fileOf(path, bytesOf(lines.slice(1).join('\n')))]);
      }
    },
  },
  {
    id: 'oversized',
    level: 'a',
    what: 'a document larger than is ever parsed',
    perField: 1,
    drafts: function* () {
      const fill: Piece = { kind: 'fill', byte: 0x20, sizeBytes: OVERSIZE_BYTES };
      for (const path of ['bundle.json', 'report.json']) yield toDraft(path, () => [fileOf(path, fill)]);
    },
  },
  {
    id: 'contents-exchanged',
    level: 'a',
    what: 'the bytes of two files exchanged',
    perField: 1,
    drafts: function* (bundle) {
      const files = [...bundle.files.values()];
      for (const [index, one] of files.entries()) {
        const other = files.find(
          ({ path, sha256 }, place) =>
            place > index && sha256 !== one.sha256 && documentOf(path) === documentOf(one.path),
        );
        if (other === undefined) continue;
        yield toDraft(one.path, () => [
          fileOf(one.path, sliceOf(other.path, 0, other.sizeBytes)),
          fileOf(other.path, sliceOf(one.path, 0, one.sizeBytes)),
        ]);
      }
    },
  },
  {
    id: 'content-copied',
    level: 'a',
    what: 'a file replaced by a copy of another',
    perField: 1,
    drafts: function* (bundle) {
      const [first] = bundle.files.values();
      for (const { path, sha256 } of bundle.files.values()) {
        if (first === undefined || first.sha256 === sha256) continue;
        yield toDraft(path, () => [fileOf(path, sliceOf(first.path, 0, first.sizeBytes))]);
      }
    },
  },
  {
    id: 'file-deleted',
    level: 'a',
    what: 'a file taken away',
    perField: 2,
    drafts: function* (bundle) {
      // Without its envelope evidence is unsigned, which is no defect to whoever gives no key; see level c.
      for (const path of bundle.paths()) {
        if (!bundle.envelopes.includes(path)) yield toDraft(path, () => [deleted(path)]);
      }
    },
  },
];

function turnKeys(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(turnKeys).join(',')}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${turnKeys(member)}`);
  return `{${members.reverse().join(',')}}`;
}
