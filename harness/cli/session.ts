import { Progress, wantsColor } from './output.ts';

/** Flags that every command takes. Commander gives `color: false` for `--no-color`. */
export interface SessionFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** What a command needs of its surroundings. */
export interface Session {
  readonly json: boolean;
  readonly progress: Progress;
  /** Colour for the result on stdout. */
  readonly color: boolean;
}

export function openSession(flags: SessionFlags): Session {
  const asked = flags.color !== false;
  const quiet = flags.quiet === true;
  return {
    json: flags.json === true,
    progress: new Progress({ quiet, color: wantsColor(asked, process.env, process.stderr.isTTY === true) }),
    color: wantsColor(asked, process.env, process.stdout.isTTY === true),
  };
}
