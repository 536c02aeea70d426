import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createTwoFilesPatch } from 'diff';
import { Fault } from '../../document/fault.ts';
import { DEFAULT_SUITE_FILE } from '../../job/suite-sources.ts';
import type { PreparedContext } from '../../prepare/read-context.ts';
import { readBesideFolder } from '../../suite/language/beside.ts';
import { checkSuiteFile } from '../../suite/language/compile-suite.ts';
import { parseCompiledSuiteBytes } from '../../suite/parse/parse-suite.ts';
import { UsageError } from '../errors.ts';
import { toAbsolute } from '../folders.ts';
import { toTerminalText } from '../terminal.ts';
import { type Change, findChanges } from './changes.ts';
import { SeenRun } from './seen.ts';
import { replaceValues } from './suite-text.ts';

export interface UpdateFlags {
  readonly update?: boolean;
  readonly yes?: boolean;
  readonly suite?: readonly string[];
}

/** A suite file that may be updated, as it was before the run. */
interface OpenFile {
  readonly file: string;
  readonly bytes: Buffer;
}

/** Lines around a difference. */
const DIFF_CONTEXT = 3;
/** The search takes the square of it: a fraction of a second. */
const DIFF_EDITS_LIMIT = 2000;

/**
 * `--update`: after a run, shows for each failed exact check what it says and what was seen, and writes what a
 * person accepts into the suite file. The run stays what it was.
 */
export class Update {
  readonly #files: readonly OpenFile[];
  readonly #acceptAll: boolean;

  private constructor(files: readonly OpenFile[], acceptAll: boolean) {
    this.#files = files;
    this.#acceptAll = acceptAll;
  }

  /**
   * Reads what the flags ask for, before anything runs; null when they ask for no update.
   *
   * @throws {UsageError} FLAG_MISSING, NO_TERMINAL, SUITE_NOT_WRITTEN
   */
  static async open(flags: UpdateFlags): Promise<Update | null> {
    if (flags.update !== true) {
      if (flags.yes !== true) return null;
      throw new UsageError('FLAG_MISSING', 'flag', { where: '--yes', expected: '--update', actual: 'none' });
    }
    if (flags.yes !== true && process.stdin.isTTY !== true) {
      const expected = 'a terminal on standard input, or --yes';
      throw new UsageError('NO_TERMINAL', 'flag', { where: '--update', expected, actual: 'none' });
    }
    const named = flags.suite ?? [DEFAULT_SUITE_FILE];
    const files: OpenFile[] = [];
    for (const name of named.filter((path) => /\.ya?ml$/i.test(path))) {
      const file = toAbsolute(name);
      const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
        throw notWritten(file, cause.code ?? '');
      });
      files.push({ file, bytes });
    }
    if (files.length === 0) throw notWritten(named.join(' '), 'compiled ones only');
    return new Update(files, flags.yes === true);
  }

  /** @throws {UsageError} SUITE_CHANGED when the context was not made of these very files */
  requireIn(context: PreparedContext): void {
    for (const open of this.#files) findIn(context, open);
  }

  /**
   * Whether everything that was accepted is written; what could not be is said. What is not accepted is no fault.
   *
   * @throws the reason of the signal when the person who is asked interrupts
   */
  async apply(evidence: string, context: PreparedContext, signal: AbortSignal): Promise<boolean> {
    const run = await SeenRun.open(evidence);
    let whole = true;
    for (const open of this.#files) {
      const { file, bytes } = open;
      const text = { name: basename(file), bytes, readBeside: readBesideFolder(dirname(file)) };
      const found = await findChanges(text, parseCompiledSuiteBytes(findIn(context, open).bytes), run);
      const accepted: Change[] = [];
      for (const one of found) {
        if ('why' in one) say(`not offered: ${one.caseId} ${one.checkId}: ${one.why}`);
        else if (await this.#accepts(one, signal)) accepted.push(one);
      }
      try {
        const count = await write(open, accepted);
        const next = count > 0 ? '; run again to see what they prove' : '';
        say(`${file}: ${count} of ${found.length} written${next}`);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        say(`${file}: nothing written: ${error.message} [${error.code}]`);
        whole = false;
      }
    }
    return whole;
  }

  async #accepts(change: Change, signal: AbortSignal): Promise<boolean> {
    process.stderr.write(toTerminalText(toDiff(change)));
    if (this.#acceptAll) return true;
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    try {
      const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
      const answer = await Promise.race([lines.question('write what was seen? [y/N] ', { signal }), ended]);
      return /^y(es)?$/i.test(answer.trim());
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      lines.close();
    }
  }
}

/** A unified diff; of texts that have too little in common for one, all of both. */
function toDiff({ caseId, checkId, before, after }: Change): string {
  const names = [`${caseId} ${checkId} expected`, `${caseId} ${checkId} seen`] as const;
  const options = { context: DIFF_CONTEXT, maxEditLength: DIFF_EDITS_LIMIT };
  const patch = createTwoFilesPatch(...names, before, after, '', '', options);
  if (patch !== undefined) return patch.slice(patch.indexOf('---'));
  return `--- ${names[0]}\n${before}\n+++ ${names[1]}\n${after}\n`;
}

function findIn(context: PreparedContext, { file, bytes }: OpenFile): PreparedContext['suites'][number] {
  const found = context.suites.find(({ sources }) =>
    sources.some((source) => source.path === 'suite.yaml' && bytes.equals(source.bytes)),
  );
  if (found !== undefined) return found;
  throw changed(file, 'the file that the context was made of');
}

/** Writes everything that was accepted; gives how many changes that were. */
async function write({ file, bytes }: OpenFile, accepted: readonly Change[]): Promise<number> {
  const values = accepted.flatMap((one) => (one.write.kind === 'suite' ? [one.write.value] : []));
  const beside = accepted.flatMap((one) => (one.write.kind === 'beside' ? [one.write] : []));
  const byPath = new Map(beside.map((one) => [one.path, one]));
  for (const one of beside) {
    if (byPath.get(one.path)?.bytes.equals(one.bytes) !== true)
      throw changed(one.path, 'one content for all checks');
  }
  const text = replaceValues(bytes.toString('utf8'), values);
  if (text === null) throw changed(file, 'a text in which the values can be replaced');
  await requireSame(file, bytes);
  const readBeside = readBesideFolder(dirname(file));
  checkSuiteFile(Buffer.from(text, 'utf8'), { file: basename(file), readBeside });
  for (const { path, expected } of byPath.values()) await requireSame(join(dirname(file), path), expected);
  for (const one of byPath.values()) await writeFile(join(dirname(file), one.path), one.bytes);
  if (values.length > 0) await writeFile(file, text);
  return accepted.length;
}

async function requireSame(file: string, bytes: Buffer): Promise<void> {
  const now = await readFile(file).catch(() => null);
  if (now?.equals(bytes) !== true) throw changed(file, 'what ran');
}

function changed(where: string, expected: string): UsageError {
  return new UsageError('SUITE_CHANGED', 'suite', { where, expected, actual: 'another' });
}

function notWritten(where: string, actual: string): UsageError {
  return new UsageError('SUITE_NOT_WRITTEN', '--update', { where, expected: 'a suite file (.yaml)', actual });
}

/** Shown even with --quiet: who asked for an update has to know what became of it. */
function say(text: string): void {
  process.stderr.write(`update: ${toTerminalText(text)}\n`);
}
