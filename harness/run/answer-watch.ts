import { DIALOGUE_ID_LIMIT, DIALOGUE_LINE_LIMIT } from './limits.ts';

export type RequestId = string | number;

const NEWLINE = 0x0a;

/**
 * Notices JSON-RPC answers and requests in a candidate's stdout while it runs, for the one purpose of sending
 * the next line in time. It judges nothing: checks are evaluated later, from the recorded bytes.
 *
 * The candidate controls every byte. A line beyond `DIALOGUE_LINE_LIMIT` is skipped to its end and an id
 * beyond `DIALOGUE_ID_LIMIT` is none, so memory is bounded by the output limit.
 */
export class AnswerWatch {
  readonly #onRequest: (id: RequestId) => void;
  readonly #seen = new Set<RequestId>();
  readonly #waiting = new Map<RequestId, () => void>();
  #parts: Buffer[] = [];
  #lineBytes = 0;

  /** `onRequest` is called for each request of the candidate's, from within `take`. */
  constructor(onRequest: (id: RequestId) => void) {
    this.#onRequest = onRequest;
  }

  take(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#append(bytes.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#append(bytes.subarray(start));
  }

  /** Resolves when a response with this id has arrived, at once if it did before. */
  answered(id: RequestId): Promise<void> {
    if (this.#seen.has(id)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }

  #append(piece: Buffer): void {
    this.#lineBytes += piece.length;
    if (this.#lineBytes > DIALOGUE_LINE_LIMIT) this.#parts = [];
    else if (piece.length > 0) this.#parts.push(Buffer.from(piece));
  }

  #endLine(): void {
    const line = this.#lineBytes > DIALOGUE_LINE_LIMIT ? '' : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#lineBytes = 0;
    for (const message of parseMessages(line)) this.#note(message);
  }

  #note(message: object): void {
    const id: unknown = 'id' in message ? message.id : undefined;
    if (!isRequestId(id)) return;
    if ('method' in message) {
      this.#onRequest(id);
    } else if (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error')) {
      this.#seen.add(id);
      this.#waiting.get(id)?.();
      this.#waiting.delete(id);
    }
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= DIALOGUE_ID_LIMIT);
}

/** The JSON-RPC messages of a line, batches opened; a line that holds none is the checks' business. */
function parseMessages(line: string): readonly object[] {
  try {
    const value: unknown = JSON.parse(line);
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    return messages.filter((message) => typeof message === 'object' && message !== null);
  } catch {
    return [];
  }
}
