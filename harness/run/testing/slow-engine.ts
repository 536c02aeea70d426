import type { Box, Engine } from '../../engine/engine.ts';

/**
 * The same engine, but whose `kill` and `close` of a box take `delayMs` longer: a daemon that is stuck.
 * `opened` is told of every box.
 */
export function slowEngine(engine: Engine, delayMs: number, opened: (box: Box) => void): Engine {
  return replaceMembers(engine, {
    open: async (request) => {
      const box = await engine.open(request);
      opened(box);
      return slowBox(box, delayMs);
    },
  });
}

function slowBox(box: Box, delayMs: number): Box {
  const late = async <T>(work: () => Promise<T>): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
    return work();
  };
  return replaceMembers(box, { kill: () => late(() => box.kill()), close: () => late(() => box.close()) });
}

/** All of `whole` but the replaced members; methods keep their receiver, which has private fields. */
export function replaceMembers<Whole extends object>(whole: Whole, members: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (target, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
