import { readFileSync } from 'node:fs';
import { isRecord } from '../../document/json-record.ts';
import { EngineError } from '../errors.ts';

/**
 * A JSON object that runc stored, read field by field. What is missing or of another type reads as empty:
 * an empty value differs from every boundary, so nothing passes by being absent.
 */
export class StoredFields {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    this.#fields = isRecord(value) ? value : {};
  }

  /** @throws {EngineError} EVIDENCE_UNREADABLE */
  static read(file: string, name: string): StoredFields {
    try {
      return new StoredFields(JSON.parse(readFileSync(file, 'utf8')));
    } catch (cause) {
      throw new EngineError('EVIDENCE_UNREADABLE', {
        where: name,
        expected: 'a JSON document of runc',
        actual: 'none',
        cause,
      });
    }
  }

  value(name: string): unknown {
    return this.#fields[name];
  }

  names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  object(name: string): StoredFields {
    return new StoredFields(this.#fields[name]);
  }

  objects(name: string): readonly StoredFields[] {
    return this.#list(name).map((item) => new StoredFields(item));
  }

  texts(name: string): readonly string[] {
    return this.#list(name).filter((item): item is string => typeof item === 'string');
  }

  /** Every value of the object that is a text. */
  allTexts(): readonly string[] {
    return Object.values(this.#fields).filter((item): item is string => typeof item === 'string');
  }

  text(name: string): string {
    const value = this.#fields[name];
    return typeof value === 'string' ? value : '';
  }

  number(name: string): number | null {
    const value = this.#fields[name];
    return typeof value === 'number' ? value : null;
  }

  flag(name: string): boolean {
    return this.#fields[name] === true;
  }

  #list(name: string): readonly unknown[] {
    const value = this.#fields[name];
    return Array.isArray(value) ? value : [];
  }
}
