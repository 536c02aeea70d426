import type { BaseBundle } from '../base-bundle.ts';
import { encode, type Forgery } from '../forgery.ts';
import type { Field, Kind } from '../kind.ts';
import { replaceAt } from '../places.ts';
import { eachKind } from './each-kind.ts';
import { type FoundReceipt, listAt, receiptsOf, recordOf } from './receipts.ts';

/** A file of which the bytes were kept because a check looks into it. */
interface Kept extends FoundReceipt {
  readonly file: string;
  readonly sha256: string;
  /** Others of the same case. */
  readonly others: readonly string[];
}

const BYTES = 'cases/*/files/*';
const LISTING = 'cases/*/files.ndjson';

function keptOf(bundle: BaseBundle): readonly Kept[] {
  return receiptsOf(bundle).flatMap((found) => {
    const prefix = `${found.folder}/files/`;
    const files = [...bundle.files.keys()].filter((path) => path.startsWith(prefix));
    return files.map((file) => ({
      ...found,
      file,
      sha256: file.slice(prefix.length),
      others: files.filter((path) => path !== file),
    }));
  });
}

function keptKind(
  id: string,
  what: string,
  told: Field & { readonly make: (kept: Kept, bundle: BaseBundle) => Forgery | null },
): Kind {
  return eachKind(id, what, { ...told, find: keptOf });
}

/** Other bytes of the same length; an empty file has none. */
function otherBytes(bytes: Buffer): Buffer | null {
  const [first] = bytes;
  if (first === undefined) return null;
  return Buffer.concat([Buffer.of(first ^ 1), bytes.subarray(1)]);
}

/** The file as if it had never been left: its bytes, its line, and the count of the last look. */
function unlisted({ file, sha256, folder, path, receipt }: Kept, bundle: BaseBundle): Forgery | null {
  const listing = `${folder}/files.ndjson`;
  const lines = listAt(bundle.document(listing)).map(recordOf);
  const rest = lines.filter((line) => line['sha256'] !== sha256 || line['when'] !== 'after');
  const count = rest.filter(({ when }) => when === 'after').length;
  const events = listAt(receipt, 'attempts', 0, 'teardown').map(recordOf);
  const told = events.map((event) =>
    /^[0-9]+ entries$/.test(String(event['detail'])) ? { ...event, detail: `${count} entries` } : event,
  );
  return {
    files: new Map([
      [file, null],
      [listing, encode(listing, rest)],
      [path, encode(path, replaceAt(receipt, ['attempts', 0, 'teardown'], told))],
    ]),
    keepMentions: true,
  };
}

/** Ways to change what a check of a case looks into. Attempts after the first are left to the general kinds. */
export const KEPT_KINDS: readonly Kind[] = [
  keptKind('kept-file-changed', 'other bytes of a file that was left, its name and its line told anew', {
    document: LISTING,
    field: '[].sha256',
    make: ({ file }, bundle) => {
      const bytes = otherBytes(bundle.read(file));
      return bytes === null ? null : { files: new Map([[file, bytes]]) };
    },
  }),
  keptKind('kept-file-changed-alone', 'other bytes of a file that was left, under its old digest', {
    document: BYTES,
    field: 'bytes',
    make: ({ file }, bundle) => {
      const bytes = otherBytes(bundle.read(file));
      return bytes === null ? null : { files: new Map([[file, bytes]]), keepMentions: true };
    },
  }),
  keptKind('kept-file-dropped', 'the bytes of a file that was left taken away', {
    document: BYTES,
    field: '',
    make: ({ file }) => ({ files: new Map([[file, null]]), keepMentions: true }),
  }),
  keptKind('kept-file-unlisted', 'a file that was left taken away, told nowhere', {
    document: LISTING,
    field: '',
    make: unlisted,
  }),
  keptKind('kept-files-exchanged', 'the bytes of two files that were left exchanged', {
    document: BYTES,
    field: 'bytes',
    make: ({ file, others: [other] }, bundle) =>
      other === undefined
        ? null
        : {
            files: new Map([
              [file, bundle.read(other)],
              [other, bundle.read(file)],
            ]),
            keepMentions: true,
          },
  }),
  keptKind('kept-file-slipped-in', 'bytes of a file that was never left put in', {
    document: BYTES,
    field: 'bytes',
    make: ({ folder }) => ({ files: new Map([[`${folder}/files/${'0'.repeat(64)}`, Buffer.from('x')]]) }),
  }),
];
