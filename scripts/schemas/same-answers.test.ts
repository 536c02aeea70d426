import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { documents } from './documents.ts';
import { valuesOf } from './generated-values.ts';
import { mutationsOf } from './mutations.ts';
import { toSchema } from './schema-text.ts';
import { readValidators, type Validator } from './validators.ts';

/** Fixed, so that a red run can be repeated. */
const SEED = 20_260_107;
/** Values of each document, and mutations of each value; an argument asks for more of the former. */
const VALUES = Number(process.argv[2] ?? 10);
const MUTATIONS = 30;

let validators: ReadonlyMap<string, Validator> = new Map();

before(async () => {
  validators = await readValidators();
});

for (const document of documents) {
  test(`schema and reader of ${document.name} say the same of whatever is put to them`, () => {
    const validate = validators.get(document.name);
    assert.ok(validate !== undefined, 'the build compiled a validator');
    const answers = { accepted: 0, rejected: 0 };
    const compare = (value: unknown): boolean => {
      const misfits = document.misfits(value);
      const isAccepted = validate(value);
      // The one thing that a schema cannot say: whether a text is JSON in its one form.
      if (isAccepted && misfits.length > 0 && misfits.every((one) => one.endsWith(': canonical JSON')))
        return true;
      const shown = JSON.stringify({ misfits, errors: validate.errors, value }).slice(0, 2000);
      assert.equal(isAccepted, misfits.length === 0, shown);
      answers[isAccepted ? 'accepted' : 'rejected'] += 1;
      return isAccepted;
    };
    fc.assert(
      fc.property(valuesOf(toSchema(document)), fc.nat(), (value, seed) => {
        assert.ok(compare(value), JSON.stringify(document.misfits(value)));
        for (const mutated of fc.sample(mutationsOf(value), { seed, numRuns: MUTATIONS })) compare(mutated);
      }),
      { seed: SEED, numRuns: VALUES, endOnFailure: true },
    );
    assert.ok(answers.accepted >= VALUES && answers.rejected >= VALUES, JSON.stringify(answers));
  });
}
