import type { ClosedList } from './closed-list.ts';
import type { Memory } from './files/memory.ts';
import { freeze } from './files/once.ts';
import type { FileSource } from './files/source.ts';
import type { FileList } from './list/listed-files.ts';
import type { ListedFile } from './shape/bundle.ts';

interface Judged {
  readonly source: FileSource;
  readonly list: ClosedList;
}

/**
 * Everything that a part of a verdict was worked out of: its inputs, the files that it read, and what the closed
 * list said of each. It holds for as long as all of that is the same, so that nothing has to be remembered to be
 * forgotten. A part that reads what has no identity, or is to list files, leaves no trace that could be kept.
 */
export class Trace {
  readonly #inputs: unknown;
  readonly #read = new Map<string, object>();
  readonly #listed = new Map<string, ListedFile | undefined>();
  #complete = true;
  #value: unknown = null;
  #known: readonly string[] = [];

  constructor(inputs: unknown) {
    this.#inputs = inputs;
  }

  get value(): unknown {
    return this.#value;
  }

  /** Files of the list that the part explains. */
  get known(): readonly string[] {
    return this.#known;
  }

  keep(memory: Memory, key: string, result: { readonly value: unknown; readonly known: readonly string[] }) {
    if (!this.#complete) return;
    this.#value = freeze(result.value);
    this.#known = result.known;
    memory.keep(key, this);
  }

  holds({ source, list }: Judged, inputs: unknown): boolean {
    for (const [path, before] of this.#listed) {
      const now = list.files.get(path);
      if (now?.sha256 !== before?.sha256 || now?.sizeBytes !== before?.sizeBytes) return false;
    }
    for (const [path, identity] of this.#read) if (source.identity(path) !== identity) return false;
    return isSame(this.#inputs, inputs);
  }

  /** The bundle as a part is to see it: what it looks at is noted down. */
  watch({ source, list }: Judged): Judged {
    return { source: this.#watchSource(source), list: this.#watchList(list) };
  }

  #watchSource(source: FileSource): FileSource {
    const note = (path: string): object | null => {
      const identity = source.identity(path);
      if (identity === null) this.#complete = false;
      else this.#read.set(path, identity);
      return identity;
    };
    return {
      isFolder: unseen,
      entries: unseen,
      memory: () => null,
      identity: note,
      open: (path) => {
        note(path);
        return source.open(path);
      },
      has: (path) => {
        note(path);
        return source.has(path);
      },
    };
  }

  #watchList(list: ClosedList): ClosedList {
    return {
      get runId() {
        return unseen();
      },
      get nonce() {
        return unseen();
      },
      get indexSha256() {
        return unseen();
      },
      files: new WatchedFiles(list.files, (path, file) => this.#listed.set(path, file)),
    };
  }
}

/** A part that needs the whole list, or what stands beside it, is no part. */
function unseen(): never {
  throw new Error('a part of a verdict read what it is not given');
}

/** The closed list, of which only files that are asked for by name can be seen. */
class WatchedFiles implements FileList {
  readonly #files: FileList;
  readonly #note: (path: string, file: ListedFile | undefined) => void;

  constructor(files: FileList, note: (path: string, file: ListedFile | undefined) => void) {
    this.#files = files;
    this.#note = note;
  }

  get(path: string): ListedFile | undefined {
    const file = this.#files.get(path);
    this.#note(path, file);
    return file;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  keys(): Iterable<string> {
    return unseen();
  }

  values(): Iterable<ListedFile> {
    return unseen();
  }
}

/**
 * Whether two values of documents are alike. What is no plain object or list is alike only to itself.
 *
 * Recursive: the documents' shapes bound how deep they are.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isPlain(one) || !isPlain(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
