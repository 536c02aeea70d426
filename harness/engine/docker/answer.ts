import { isRecord } from '../../document/json-record.ts';
import { DockerError } from './errors.ts';

/**
 * Reads fields of an engine's JSON answer, which is outside data: an engine may be old, new, or another
 * program that speaks the same paths. `where` names the call for messages.
 */
export class Answer {
  readonly value: Readonly<Record<string, unknown>>;
  readonly where: string;

  constructor(value: unknown, where: string) {
    this.where = where;
    this.value = isRecord(value) ? value : this.#invalid('', 'an object', value);
  }

  /** @throws {DockerError} ANSWER_INVALID */
  text(key: string): string {
    const value = this.value[key];
    return typeof value === 'string' ? value : this.#invalid(key, 'a string', value);
  }

  /** Null when absent or empty. */
  optionalText(key: string): string | null {
    const value = this.value[key];
    return typeof value === 'string' && value !== '' ? value : null;
  }

  /** @throws {DockerError} ANSWER_INVALID */
  integer(key: string): number {
    const value = this.value[key];
    return typeof value === 'number' && Number.isSafeInteger(value)
      ? value
      : this.#invalid(key, 'an integer', value);
  }

  /** True only when the engine says exactly `true`. */
  flag(key: string): boolean {
    return this.value[key] === true;
  }

  /** Absent and null count as an empty list. @throws {DockerError} ANSWER_INVALID */
  texts(key: string): readonly string[] {
    const value = this.value[key] ?? [];
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? value
      : this.#invalid(key, 'a list of strings', value);
  }

  /** Absent and null count as an empty list. @throws {DockerError} ANSWER_INVALID */
  list(key: string): readonly Answer[] {
    const value = this.value[key] ?? [];
    return Array.isArray(value)
      ? value.map((item, index) => new Answer(item, `${this.where}: ${key}[${index}]`))
      : this.#invalid(key, 'a list', value);
  }

  /** @throws {DockerError} ANSWER_INVALID */
  object(key: string): Answer {
    return new Answer(this.value[key], `${this.where}: ${key}`);
  }

  /** Absent and null count as an empty object. @throws {DockerError} ANSWER_INVALID */
  optionalObject(key: string): Answer {
    return new Answer(this.value[key] ?? {}, `${this.where}: ${key}`);
  }

  #invalid(key: string, expected: string, actual: unknown): never {
    throw new DockerError('ANSWER_INVALID', 'engine answer', {
      where: key === '' ? this.where : `${this.where}: ${key}`,
      expected,
      actual: JSON.stringify(actual) ?? 'nothing',
    });
  }
}

/** A list answer, such as that of `GET /containers/json`. @throws {DockerError} ANSWER_INVALID */
export function toAnswers(value: unknown, where: string): readonly Answer[] {
  return new Answer({ list: value }, where).list('list');
}
