import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CORPUS_SEED, jsoncCorpus, jsoncDocument, referenceAccepts } from '../testing/jsonc-corpus.ts';
import { parseDocument } from './document.ts';

/**
 * The acceptance of JSONC compared with `parse` of the parser that VS Code uses, in the mode in which it reads
 * its own settings. Ours goes through the visitor of that parser and adds rules; it must never accept more.
 */

const RUNS = 400;

/** Where ours may refuse what the reference accepts: rules of ours, not of the syntax. */
const OWN_RULES: readonly string[] = ['duplicate-key', 'too-deep', 'not-an-object'];

function verdictOf(text: string): string {
  const read = parseDocument(Buffer.from(text), 'jsonc');
  return read.kind === 'parsed' ? 'parsed' : read.problem;
}

describe('JSONC', () => {
  it(`is accepted as the reference accepts it, over ${RUNS} documents`, () => {
    const counts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(jsoncDocument, (text) => {
        const verdict = verdictOf(text);
        if (referenceAccepts(text)) {
          counts.accepted += 1;
          assert.ok(verdict === 'parsed' || OWN_RULES.includes(verdict), `${verdict}: ${text}`);
        } else {
          counts.refused += 1;
          assert.notEqual(verdict, 'parsed', text);
        }
      }),
      { numRuns: RUNS, seed: CORPUS_SEED },
    );
    assert.ok(counts.accepted >= 50 && counts.refused >= 50, JSON.stringify(counts));
  });

  it('strict JSON is accepted exactly as the language accepts it', () => {
    fc.assert(
      fc.property(jsoncDocument, (text) => {
        let accepts = true;
        try {
          JSON.parse(text);
        } catch {
          accepts = false;
        }
        const read = parseDocument(Buffer.from(text), 'json');
        const verdict = read.kind === 'parsed' ? 'parsed' : read.problem;
        assert.ok(accepts ? verdict === 'parsed' || OWN_RULES.includes(verdict) : verdict === 'syntax', text);
      }),
      { numRuns: RUNS, seed: CORPUS_SEED },
    );
  });

  it('has a corpus of at least 200 documents, a good part of each kind, without doubles', () => {
    const corpus = jsoncCorpus();
    const accepted = corpus.filter(referenceAccepts).length;
    assert.ok(corpus.length >= 200 && new Set(corpus).size === corpus.length, String(corpus.length));
    assert.ok(accepted >= 60 && corpus.length - accepted >= 60, String(accepted));
  });
});
