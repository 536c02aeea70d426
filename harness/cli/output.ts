import { quoteText } from '../document/fault.ts';

export interface OutputOptions {
  readonly quiet: boolean;
  readonly color: boolean;
}

export type Paint = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** The first sign of what would start a command. */
const COMMAND = /#(?=#[a-z]*\[)/gi;

/** Characters that JSON.stringify leaves alone and terminals or editors heed. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const CODES: Readonly<Record<Paint, string>> = { red: '31', green: '32', yellow: '33', dim: '2', bold: '1' };

/**
 * Whether to colour a stream: `--no-color` and NO_COLOR (non-empty) turn it off, FORCE_COLOR on, else a
 * terminal decides (no-color.org).
 */
export function wantsColor(flag: boolean, env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (!flag || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0';
  return isTerminal;
}

export function paint(text: string, how: Paint, color: boolean): string {
  return color ? `\u001b[${CODES[how]}m${text}\u001b[0m` : text;
}

/**
 * Progress on stderr, one plain line each: no spinner, so that a log of a CI job reads the same. Everything
 * that may hold candidate text is escaped, and each line starts with our own word, so that no workflow
 * command of a CI system can be smuggled in.
 */
export class Progress {
  readonly #options: OutputOptions;
  readonly #startedAt = performance.now();

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  say(phase: string, text: string): void {
    if (this.#options.quiet) return;
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1).padStart(6);
    const head = paint(`${seconds}s ${phase.padEnd(8)}`, 'dim', this.#options.color);
    process.stderr.write(`${head} ${toLogText(text, 400)}\n`);
  }

  /** Shown even with --quiet: without it the exit code could not be understood. */
  error(text: string): void {
    process.stderr.write(`${paint('packproof:', 'red', this.#options.color)} ${toLogText(text, 2000)}\n`);
  }
}

/**
 * Text that may be a candidate's, for a line of a log: control characters escaped, and no command to a CI
 * system. GitHub's and Azure's runners, and TeamCity, heed `##[…]`, `##vso[…]`, `##teamcity[…]` anywhere in a
 * line; `::…` counts at the start of a line only, where a word of ours stands.
 */
export function toLogText(text: string, limit?: number): string {
  return quoteText(text, limit).replace(COMMAND, '\\u{23}');
}

/** One JSON document as one line, the same value with the same care: what JSON may leave as it is, is escaped. */
export function toJsonLine(value: unknown): string {
  const text = JSON.stringify(value)
    .replace(COMMAND, '\\u0023')
    .replace(UNSAFE_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `${text}\n`;
}

let resultBegun = false;

/** Whether a result was begun: a second document on stdout would spoil it. */
export function hasResult(): boolean {
  return resultBegun;
}

/** Writes a result to stdout and waits until it is out; a closed pipe is a quiet end (`packproof … | head`). */
export async function writeResult(text: string): Promise<void> {
  await isWritten(text);
}

/** Characters that are written at once. More would be in memory twice for nothing, less costs a call each. */
const PIECE_LENGTH = 64 * 1024;

/** Writes a long result as it is made, never holding the whole; a closed pipe ends the making too. */
export async function writePieces(pieces: Iterable<string>): Promise<void> {
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < PIECE_LENGTH) continue;
    if (!(await isWritten(waiting))) return;
    waiting = '';
  }
  await isWritten(waiting);
}

/** False when nobody reads any more. */
async function isWritten(text: string): Promise<boolean> {
  resultBegun = true;
  return await new Promise<boolean>((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error && 'code' in error && error.code === 'EPIPE') resolve(false);
      else if (error) reject(error);
      else resolve(true);
    });
  });
}
