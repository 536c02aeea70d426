import { Fault } from '../document/fault.ts';
import { exitOfError } from './exit-code.ts';
import { Progress, wantsColor } from './output.ts';

/** Runs one command line and gives its exit code; every error becomes one clear message here and nowhere else. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const { runProgram } = await import('./program.ts');
    return await runProgram(argv);
  } catch (error) {
    const color = wantsColor(!argv.includes('--no-color'), process.env, process.stderr.isTTY === true);
    const progress = new Progress({ quiet: false, color });
    if (error instanceof Fault) progress.error(`${error.message} [${error.code}]`);
    else
      progress.error(
        `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    return exitOfError(error);
  }
}

// A reader that went away (`packproof … | head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2));
