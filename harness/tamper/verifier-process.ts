import { type ChildProcess, spawn } from 'node:child_process';
import type { Change } from './change.ts';
import { TamperError } from './errors.ts';

/** What the verifier says of the bundle under some changes. */
export interface Judgement {
  readonly accepted: boolean;
  /** Codes of its findings, each once. */
  readonly codes: readonly string[];
}

/** Judges changes; the program keeps the bundle and is asked again and again. */
export interface Judge {
  readonly judge: (changes: readonly Change[]) => Promise<Judgement>;
  /** Whether it would be accepted, which a first finding decides. */
  readonly accepts: (changes: readonly Change[]) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** A verdict that takes longer is a hang: the slowest, of a document at its size limit, takes seconds. */
const ANSWER_LIMIT_MS = 120_000;

/**
 * The verifier as the separate program that it is: one process, asked over its stdin, with an empty environment.
 *
 * Answers come in the order of the questions; several may be under way.
 */
export class VerifierProcess implements Judge {
  readonly #child: ChildProcess;
  readonly #waiting: {
    readonly resolve: (judgement: Judgement) => void;
    readonly reject: (error: Error) => void;
    readonly id: number;
  }[] = [];
  readonly #closed: Promise<void>;
  #next = 0;
  #pieces: string[] = [];
  #fault: TamperError | null = null;
  #stderr = '';
  #alarm: NodeJS.Timeout | null = null;

  constructor(program: string, args: readonly string[]) {
    const child = spawn(process.execPath, [program, '--overlays', ...args], {
      env: {},
      // In a group of its own: a Ctrl-C for the command is not one for the verdict.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => this.#take(text));
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2000);
    });
    // A program that ended is told of by its end, not by the pipe to it.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.#fail(error.message));
    this.#closed = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        this.#fail(`ended with ${code ?? signal}: ${this.#stderr}`);
        resolve();
      });
    });
  }

  /** @throws {TamperError} VERIFIER_FAILED when it broke off: then it has not judged */
  judge(changes: readonly Change[]): Promise<Judgement> {
    return this.#ask({ changes });
  }

  /** @throws {TamperError} VERIFIER_FAILED */
  async accepts(changes: readonly Change[]): Promise<boolean> {
    return (await this.#ask({ changes, first: true })).accepted;
  }

  async close(): Promise<void> {
    this.#fault ??= failed('closed');
    // It writes nothing, so that there is nothing it could leave half done.
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  #ask(question: { readonly changes: readonly Change[]; readonly first?: true }): Promise<Judgement> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, id });
      this.#watch();
      this.#child.stdin?.write(`${JSON.stringify({ id, ...question })}\n`);
    });
  }

  #take(text: string): void {
    this.#pieces.push(text);
    if (!text.includes('\n')) return;
    const lines = this.#pieces.join('').split('\n');
    this.#pieces = [lines.pop() ?? ''];
    for (const line of lines) this.#answer(line);
  }

  #answer(line: string): void {
    const waiting = this.#waiting.shift();
    this.#watch();
    const answer = parseAnswer(line);
    if (waiting === undefined || answer === null || answer.id !== waiting.id) {
      const error = failed(`answered ${line.slice(0, 200)}`);
      waiting?.reject(error);
      this.#fault ??= error;
    } else if ('fault' in answer) waiting.reject(failed(answer.fault));
    else waiting.resolve({ accepted: answer.accepted, codes: answer.codes });
  }

  #watch(): void {
    if (this.#alarm !== null) clearTimeout(this.#alarm);
    this.#alarm =
      this.#waiting.length === 0 ? null : setTimeout(() => this.#child.kill('SIGKILL'), ANSWER_LIMIT_MS);
  }

  #fail(actual: string): void {
    this.#fault ??= failed(actual);
    if (this.#alarm !== null) clearTimeout(this.#alarm);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#fault);
  }
}

function failed(actual: string): TamperError {
  return new TamperError('VERIFIER_FAILED', 'verifier', {
    where: '--overlays',
    expected: 'a verdict',
    actual,
  });
}

type Answer = { readonly id: number } & (Judgement | { readonly fault: string });

/** Anything but a verdict of the closed form is none: an answer that cannot be read accepts nothing. */
function parseAnswer(line: string): Answer | null {
  let value: { readonly id?: unknown; readonly fault?: unknown; readonly verdict?: Record<string, unknown> };
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value.id !== 'number') return null;
  if (typeof value.fault === 'string') return { id: value.id, fault: value.fault };
  const { verdict, findings } = value.verdict ?? {};
  if ((verdict !== 'accepted' && verdict !== 'rejected') || !Array.isArray(findings)) return null;
  const codes = findings.map((finding: { readonly code?: unknown }) => String(finding.code));
  return { id: value.id, accepted: verdict === 'accepted', codes: [...new Set(codes)] };
}
