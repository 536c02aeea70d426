import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Fault } from '../document/fault.ts';
import { isDiskFull, isSystemError } from '../document/system-error.ts';
import { SuiteTextError } from '../suite/language/errors.ts';
import { CliError } from './errors.ts';
import { exitOfEnd, exitOfError } from './exit-code.ts';
import { interruptedBy } from './interruption.ts';
import { hasResult, Progress, toJsonLine, wantsColor, writeResult } from './output.ts';

/** Runs one command line and gives its exit code; every error becomes one clear message here and nowhere else. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const { runProgram } = await import('./program.ts');
    return await runProgram(argv);
  } catch (thrown) {
    const error = isSystemError(thrown) ? toSystemFault(thrown) : thrown;
    const color = wantsColor(!argv.includes('--no-color'), process.env, process.stderr.isTTY === true);
    const progress = new Progress({ quiet: false, color });
    if (error instanceof SuiteTextError) for (const line of error.lines()) progress.error(line);
    else if (error instanceof Fault) progress.error(withCode(error));
    else
      progress.error(
        `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    const signal = interruptedBy();
    const exitCode = signal === null ? exitOfError(error) : exitOfEnd(error, signal);
    if (wantsDocument(argv)) await writeErrorDocument(error, exitCode);
    // What an interrupted command was waiting for may take minutes to notice; boxes and contexts are gone.
    if (signal !== null) process.exit(exitCode);
    return exitCode;
  }
}

/** The code at the end; a message of several findings has each one's own there already. */
function withCode({ message, code }: Fault): string {
  return message.endsWith(`[${code}]`) ? message : `${message} [${code}]`;
}

/** `scope` keeps its own contract: a wrong call has an empty stdout. */
function wantsDocument(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const ours = end === -1 ? argv : argv.slice(0, end);
  return ours.includes('--json') && ours[0] !== 'scope' && !hasResult();
}

async function writeErrorDocument(error: unknown, exitCode: number): Promise<void> {
  const { toErrorDocument } = await import('./error-document.ts');
  // Where stdout cannot be written, stderr and the exit code still tell.
  await writeResult(toJsonLine(toErrorDocument(error, exitCode, performance.now()))).catch(() => {});
}

/** A full disk or a missing permission that no stage foresaw is the machine's, and needs no stack trace. */
function toSystemFault(cause: NodeJS.ErrnoException): CliError {
  const { syscall = 'system', path = syscall, code = '' } = cause;
  if (isDiskFull(cause)) {
    return new CliError('DISK_FULL', 'no space left', {
      where: path,
      expected: 'a writable place',
      actual: code,
      cause,
    });
  }
  return new CliError('SYSTEM', syscall, { where: path, expected: 'success', actual: code, cause });
}

// A reader that went away (`packproof … | head`) is no error of ours, nor a terminal that did (EIO).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
});
// With nobody left to tell, the command still ends in order.
process.stderr.on('error', () => {});
// At its exit Node gives a terminal its settings back, and aborts when that terminal is gone.
const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
process.on('exit', () => {
  if (interruptedBy() === 'SIGHUP') for (const descriptor of terminals) closeSync(descriptor);
});

process.exitCode = await main(process.argv.slice(2));
