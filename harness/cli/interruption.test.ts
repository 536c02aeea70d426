import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './errors.ts';
import { type Interruption, interruptedBy, listenForInterruption, untilInterrupted } from './interruption.ts';

describe('an interruption', () => {
  const listening: Interruption[] = [];
  afterEach(() => {
    for (const one of listening.splice(0)) one.stop();
  });

  function listen(): { readonly told: string[]; readonly interruption: Interruption } {
    const told: string[] = [];
    const interruption = listenForInterruption((signal) => told.push(signal));
    listening.push(interruption);
    return { told, interruption };
  }

  function isInterrupted(signal: string): (error: unknown) => boolean {
    return (error) => {
      assert.ok(error instanceof CliError);
      assert.deepEqual([error.code, error.where], ['INTERRUPTED', signal]);
      return true;
    };
  }

  it('is told once, with its signal', () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const { told, interruption } = listen();
      assert.equal(interruption.by(), null);
      process.emit(signal);
      assert.deepEqual([told, interruption.by(), interruption.signal.aborted], [[signal], signal, true]);
      assert.equal(interruptedBy(), signal);
      interruption.stop();
    }
    assert.equal(process.listenerCount('SIGINT') + process.listenerCount('SIGHUP'), 0);
    assert.equal(process.listenerCount('SIGTERM'), 0);
  });

  it('does not touch work that is done before it', async () => {
    const { interruption } = listen();
    const never = (): Promise<void> => assert.fail('nothing is released');
    assert.equal(await untilInterrupted(Promise.resolve(7), interruption, never), 7);
    const failing = untilInterrupted(Promise.reject(new TypeError('own')), interruption, never);
    await assert.rejects(failing, { name: 'TypeError', message: 'own' });
  });

  it('takes away what the work waits for, and ends with its own error whatever the work says', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { interruption } = listen();
      const order: string[] = [];
      let settle = (): void => {};
      const work = new Promise<void>((resolve, reject) => {
        settle = (): void => {
          order.push('settled');
          if (end === 'resolve') resolve();
          else reject(new TypeError('the box is gone'));
        };
      });
      const release = (): Promise<void> => {
        order.push('released');
        settle();
        return Promise.resolve();
      };
      const waiting = untilInterrupted(work, interruption, release);
      process.emit('SIGTERM');
      await assert.rejects(waiting, isInterrupted('SIGTERM'));
      assert.deepEqual(order, ['released', 'settled']);
      interruption.stop();
    }
  });

  it('that came before the work ends it too', async () => {
    const { interruption } = listen();
    process.emit('SIGINT');
    const work = delay(1_000_000, undefined, { ref: false });
    const ended = untilInterrupted(Promise.race([work, Promise.resolve()]), interruption, () =>
      Promise.resolve(),
    );
    await assert.rejects(ended, isInterrupted('SIGINT'));
  });
});
