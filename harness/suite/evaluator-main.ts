import { readFileSync } from 'node:fs';
import { classify } from './classify.ts';
import { evaluateCase } from './evaluate/evaluator.ts';
import {
  type EvaluatorAnswer,
  type EvaluatorQuestion,
  type EvaluatorReply,
  type KeptCase,
  parseRequest,
} from './evaluator-protocol.ts';
import type { FileBytes, StoredBytes, StreamBytes } from './observation.ts';

/**
 * The process in which candidate bytes are matched. It holds nothing that is needed elsewhere, so it can be
 * killed at any moment; it ends when its parent does.
 */
function main(): void {
  // A line that is no JSON is an exception; its stack would be the dearest part of it, and nobody reads it.
  Error.stackTraceLimit = 0;
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    const request = parseRequest(message);
    if (request === null) return;
    const reply: EvaluatorReply = { number: request.number, answer: answerTo(request.question) };
    process.send?.(reply);
  });
}

function answerTo(question: EvaluatorQuestion): EvaluatorAnswer {
  try {
    if (question.kind === 'classify') {
      const { observed } = question;
      return { kind: 'classified', binClass: classify(observed.observation, bytesOf([observed])) };
    }
    const observations = question.observed.map((one) => one.observation);
    return {
      kind: 'evaluated',
      evaluation: evaluateCase(question.compiled, observations, storedBytes(question.observed)),
    };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function storedBytes(observed: readonly KeptCase[]): StoredBytes {
  const file: FileBytes = (caseId, sha256) => {
    const kept = observed.find((one) => one.observation.caseId === caseId)?.kept ?? [];
    const found = kept.find((one) => one.sha256 === sha256);
    return found === undefined ? null : readOrNull(found.file);
  };
  return { stream: bytesOf(observed), file };
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** Bytes that cannot be read are null, which makes what needs them unknown: never an empty stream. */
function bytesOf(observed: readonly KeptCase[]): StreamBytes {
  return (caseId, stepName, stream) => {
    const step = observed
      .find((one) => one.observation.caseId === caseId)
      ?.spooled.find((one) => one.name === stepName);
    if (step === undefined) return null;
    const path = stream === 'stdout' ? step.stdout : step.stderr;
    if (path === null) return Buffer.alloc(0);
    return readOrNull(path);
  };
}

main();
