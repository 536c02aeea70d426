import type { Expectations } from '../verify.ts';

/** Evidence alone is judged: nothing is known from outside. */
export const NOTHING_ASKED: Expectations = {
  candidateSha512: null,
  nonce: null,
  suites: [],
  keyPem: null,
  requirements: [],
  finishedAfter: null,
};
