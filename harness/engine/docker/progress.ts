import type { Readable } from 'node:stream';
import { Answer } from './answer.ts';
import type { DockerError } from './errors.ts';

/** Milliseconds without a byte from the engine while it takes an image; 130 MB take 1.5 s. */
const QUIET_LIMIT_MS = 300_000;
/** Characters of one line of progress. */
const LINE_LIMIT = 1_000_000;

/**
 * Reads a progress stream to its end. The engine answers 200 first and tells a failure in a line of the body.
 *
 * @throws what `failed` makes of the engine's words, or of an answer that is none
 */
export async function readProgress(
  progress: Readable,
  failed: (actual: string) => DockerError,
): Promise<void> {
  const timer = setTimeout(() => progress.destroy(new Error('no answer')), QUIET_LIMIT_MS);
  let rest = '';
  try {
    for await (const chunk of progress) {
      timer.refresh();
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_LIMIT) throw failed(`more than ${LINE_LIMIT} characters of progress`);
      refuseErrors(lines, failed);
    }
  } finally {
    clearTimeout(timer);
  }
  refuseErrors([rest], failed);
}

function refuseErrors(lines: readonly string[], failed: (actual: string) => DockerError): void {
  const error = lines.map(readErrorLine).find((found) => found !== null);
  if (error !== undefined) throw failed(error);
}

function readErrorLine(line: string): string | null {
  if (line.trim() === '') {
    return null;
  }
  try {
    const value: unknown = JSON.parse(line);
    const answer = new Answer(value, 'progress');
    return answer.optionalText('error') ?? answer.optionalObject('errorDetail').optionalText('message');
  } catch {
    return `not a progress line: ${line}`;
  }
}
