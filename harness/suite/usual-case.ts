import type { CompiledCase } from './compiled.ts';
import { OUTPUT_BYTES_LIMIT } from './limits.ts';

/** What a compiled case has that asks for nothing out of the ordinary. */
export const USUAL_CASE = {
  proves: [],
  doesNotProve: [],
  requires: null,
  node: 'each',
  exec: false,
  limits: [],
  outputBytes: OUTPUT_BYTES_LIMIT,
  files: [],
  controls: [],
  volatile: [],
  references: [],
} as const satisfies Partial<CompiledCase>;
