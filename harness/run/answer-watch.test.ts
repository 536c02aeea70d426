import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerWatch, type RequestId } from './answer-watch.ts';
import { DIALOGUE_LINE_LIMIT } from './limits.ts';

/** Which of the ids count as answered, without waiting. */
async function answeredOf(watch: AnswerWatch, ids: readonly RequestId[]): Promise<readonly RequestId[]> {
  const answered: RequestId[] = [];
  for (const id of ids) void watch.answered(id).then(() => answered.push(id));
  await new Promise((resolve) => setImmediate(resolve));
  return answered;
}

const LINES = [
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":"two","error":{"code":-1,"message":"no"}}',
  '[{"jsonrpc":"2.0","id":3,"result":null},{"jsonrpc":"2.0","id":4,"result":1}]',
  'a log line',
  '{"jsonrpc":"2.0","method":"note"}',
  '',
].join('\n');

test('answers are found in lines and batches, whole and one byte at a time', async () => {
  const whole = new AnswerWatch(() => {});
  whole.take(Buffer.from(LINES));
  const single = new AnswerWatch(() => {});
  for (const byte of Buffer.from(LINES)) single.take(Buffer.from([byte]));
  for (const watch of [whole, single]) {
    assert.deepEqual(await answeredOf(watch, [1, 'two', 3, 4, 5]), [1, 'two', 3, 4]);
  }
});

test('the number 1 does not answer the text "1", and an unended line answers nothing', async () => {
  const watch = new AnswerWatch(() => {});
  watch.take(Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":2,"result":{}}'));
  assert.deepEqual(await answeredOf(watch, ['1', 2]), []);
});

test('a request of the candidate is told, its answer is not confused with ours', async () => {
  const requests: RequestId[] = [];
  const watch = new AnswerWatch((id) => requests.push(id));
  watch.take(Buffer.from('{"jsonrpc":"2.0","id":7,"method":"roots/list","result":{}}\n'));
  assert.deepEqual(requests, [7]);
  assert.deepEqual(await answeredOf(watch, [7]), []);
});

test('a line beyond the limit is skipped to its end and the next one still answers', async () => {
  const watch = new AnswerWatch(() => {});
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let size = 0; size <= DIALOGUE_LINE_LIMIT; size += piece.length) watch.take(piece);
  watch.take(Buffer.from('{"id":1,"result":{}}\n{"id":2,"result":{}}\n'));
  assert.deepEqual(await answeredOf(watch, [1, 2]), [2]);
});
