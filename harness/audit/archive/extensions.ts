import type { FindingList } from '../finding.ts';
import { isZero, untilNul } from './header.ts';
import { parsePaxRecords } from './pax.ts';

/** What extension headers say about the entry that follows them. */
export interface Extended {
  readonly path: Buffer | null;
  readonly linkPath: Buffer | null;
  readonly size: number | null;
  readonly sparse: boolean;
}

const GLOBAL_OVERRIDES = ['path', 'linkpath', 'size', 'hdrcharset'];

/** Gathers pax and GNU extension headers until the entry they belong to arrives. */
export class Extensions {
  readonly #findings: FindingList;
  #pax: ReadonlyMap<string, Buffer> | null = null;
  #longName: Buffer | null = null;
  #longLink: Buffer | null = null;

  constructor(findings: FindingList) {
    this.#findings = findings;
  }

  addPax(content: Buffer, place: string): void {
    if (this.#pax !== null) this.#reportOrphan(place);
    this.#pax = this.#readPax(content, place);
  }

  addGlobal(content: Buffer, place: string): void {
    const records = this.#readPax(content, place);
    const override = [...records.keys()].find(
      (key) => GLOBAL_OVERRIDES.includes(key) || key.startsWith('GNU.sparse.'),
    );
    if (override === undefined) {
      if (this.#findings.has('PAX_GLOBAL')) return;
      this.#findings.add('PAX_GLOBAL', place, {
        expected: 'no global header',
        actual: [...records.keys()].slice(0, 5).join(', '),
      });
      return;
    }
    this.#findings.add('PAX_GLOBAL_OVERRIDE', place, {
      expected: 'no global names or sizes',
      actual: override,
    });
  }

  addLongName(content: Buffer, place: string): void {
    if (this.#longName !== null) this.#reportOrphan(place);
    this.#longName = this.#readLong(content, place);
  }

  addLongLink(content: Buffer, place: string): void {
    if (this.#longLink !== null) this.#reportOrphan(place);
    this.#longLink = this.#readLong(content, place);
  }

  /** Hands over what was gathered and forgets it. */
  take(place: string): Extended {
    const pax = this.#pax;
    const path = pax?.get('path') ?? null;
    if (path !== null && this.#longName !== null && !path.equals(this.#longName)) {
      this.#findings.add('NAME_GIVEN_TWICE', place, {
        expected: path.toString('latin1'),
        actual: this.#longName.toString('latin1'),
      });
    }
    const extended: Extended = {
      path: path ?? this.#longName,
      linkPath: pax?.get('linkpath') ?? this.#longLink,
      size: this.#readSize(pax?.get('size'), place),
      sparse: pax !== null && [...pax.keys()].some((key) => key.startsWith('GNU.sparse.')),
    };
    this.#pax = null;
    this.#longName = null;
    this.#longLink = null;
    return extended;
  }

  /** Called at the end of the archive: nothing may be left over. */
  finish(place: string): void {
    if (this.#pax !== null || this.#longName !== null || this.#longLink !== null) this.#reportOrphan(place);
  }

  #readPax(content: Buffer, place: string): ReadonlyMap<string, Buffer> {
    const { records, problem } = parsePaxRecords(content);
    if (problem?.kind === 'invalid-record') {
      this.#findings.add('PAX_RECORD_INVALID', place, {
        expected: 'LENGTH KEY=VALUE and a line end',
        actual: content.toString('latin1', problem.at, problem.at + 40),
      });
    }
    if (problem?.kind === 'repeated-key') {
      this.#findings.add('PAX_KEY_REPEATED', place, { expected: 'each key once', actual: problem.key });
    }
    return records;
  }

  #readSize(value: Buffer | undefined, place: string): number | null {
    if (value === undefined) return null;
    const text = value.toString('latin1');
    if (/^[0-9]{1,15}$/.test(text)) return Number(text);
    this.#findings.add('PAX_RECORD_INVALID', place, { expected: 'a size in decimal digits', actual: text });
    return null;
  }

  #readLong(content: Buffer, place: string): Buffer {
    const name = untilNul(content);
    if (name.length === 0 || name.length === content.length || !isZero(content.subarray(name.length))) {
      this.#findings.add('GNU_LONG_NAME_INVALID', place, {
        expected: 'a name and the zero byte that ends it',
        actual: content.toString('latin1', 0, 40),
      });
    } else if (!this.#findings.has('GNU_LONG_NAME')) {
      this.#findings.add('GNU_LONG_NAME', place, { expected: 'pax records', actual: 'a GNU record' });
    }
    return name;
  }

  #reportOrphan(place: string): void {
    this.#findings.add('EXTENSION_ORPHAN', place, {
      expected: 'an entry after each extension header',
      actual: 'another extension header or the end',
    });
  }
}
