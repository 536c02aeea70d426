/** What a case comes to, in every order, on every engine, and in whatever shard. */
export type Expected = 'pass' | 'fail' | 'unsupported' | 'excluded';

export interface Kind {
  readonly name: string;
  readonly expected: Expected;
  /** A case as a suite file has it, without id and why. `turn` counts from 0 and makes cases of a kind differ. */
  readonly make: (turn: number) => object;
  /** Cases at most: what takes memory or time is enough a few times. */
  readonly limit?: number;
}

/** Why a case states that something is left over. */
export const KEPT = 'a step that packproof had to end is itself still there';

/** The candidate's program with these arguments. */
export function bin(...args: readonly (string | number)[]): readonly string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the suite language
  return ['${bin:mixed}', ...args.map(String)];
}

/** Of the base there are the shell and its own commands. */
export function shell(script: string): readonly string[] {
  return ['/bin/sh', '-c', script];
}

/** A case that prints `turn N`. */
export function says(turn: number, ...checks: readonly object[]): object {
  return { steps: [{ argv: bin('says', `turn ${turn}`) }], checks };
}
