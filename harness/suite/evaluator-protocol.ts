import type { BinClass, CompiledCase } from './compiled.ts';
import type { CaseEvaluation } from './evaluate/evaluator.ts';
import type { CaseObservation } from './observation.ts';

/** Files with the kept bytes of one step, by absolute path; null where no byte was kept. */
export interface KeptStep {
  readonly name: string;
  readonly stdout: string | null;
  readonly stderr: string | null;
}

/** A file that a case left and whose bytes were kept, by its sha256 in hex; `file` is its absolute path here. */
export interface KeptFile {
  readonly sha256: string;
  readonly file: string;
}

/** An observation with the places of its bytes: all that an evaluation is given. */
export interface KeptCase {
  readonly observation: CaseObservation;
  readonly spooled: readonly KeptStep[];
  readonly kept: readonly KeptFile[];
}

export type EvaluatorQuestion =
  | { readonly kind: 'evaluate'; readonly compiled: CompiledCase; readonly observed: readonly KeptCase[] }
  | { readonly kind: 'classify'; readonly observed: KeptCase };

/** Parent to child. Questions are answered one at a time, in order. */
export interface EvaluatorRequest {
  readonly number: number;
  readonly question: EvaluatorQuestion;
}

export type EvaluatorAnswer =
  | { readonly kind: 'evaluated'; readonly evaluation: CaseEvaluation }
  | { readonly kind: 'classified'; readonly binClass: BinClass }
  | { readonly kind: 'failed'; readonly message: string };

/** Child to parent. */
export interface EvaluatorReply {
  readonly number: number;
  readonly answer: EvaluatorAnswer;
}

/**
 * Accepts a message of the parent. Both ends are this program, so only the envelope is looked at: it tells a
 * question from anything else that might arrive, and the suite in it was parsed where it was read.
 */
export function parseRequest(message: unknown): EvaluatorRequest | null {
  if (!isNumbered(message) || !isKinded(message['question'])) return null;
  const { kind } = message['question'];
  return kind === 'evaluate' || kind === 'classify' ? (message as unknown as EvaluatorRequest) : null;
}

/** Accepts a message of the child. */
export function parseReply(message: unknown): EvaluatorReply | null {
  if (!isNumbered(message) || !isKinded(message['answer'])) return null;
  const { kind } = message['answer'];
  return kind === 'evaluated' || kind === 'classified' || kind === 'failed'
    ? (message as unknown as EvaluatorReply)
    : null;
}

function isNumbered(
  value: unknown,
): value is Readonly<Record<string, unknown>> & { readonly number: number } {
  return typeof value === 'object' && value !== null && 'number' in value && typeof value.number === 'number';
}

function isKinded(value: unknown): value is { readonly kind: unknown } {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
