import type { Node } from 'yaml';
import type { CompiledControl, CompiledFile } from '../compiled.ts';
import { FOREIGN_CWD } from '../layout.ts';
import type { Context } from './context.ts';
import { type PlacedFile, readFiles } from './files.ts';
import { KEYS, WORDS } from './keys.ts';
import { type Fields, readFields, readOneOrMore, readPath, readWord } from './read.ts';

/** A control as it is written, before it is known which of its files the case lays too. */
export interface WrittenControl {
  readonly step: string;
  readonly phase: CompiledControl['phase'];
  readonly lay: readonly PlacedFile[];
  readonly remove: readonly string[];
  readonly restore: readonly string[];
}

const PHASES = WORDS.control;

/**
 * The control that a step is, null for a step of the candidate. `before` are the controls so far; a control
 * after a step of the candidate, or out of the order of phases, is refused: it would show nothing.
 */
export function readControl(
  fields: Fields,
  step: { readonly name: string; readonly index: number; readonly before: number },
  context: Context,
): WrittenControl | null {
  const { problems } = context;
  const [control, lay, undo] = [fields.get('control'), fields.get('lay'), fields.get('undo')];
  if (control === undefined) {
    for (const stray of [lay, undo]) {
      if (stray === undefined) continue;
      problems.add(stray, 'KEY_CONFLICT', { expected: 'control beside lay and undo', actual: 'none' });
    }
    return null;
  }
  const phase = readWord(control, WORDS.control, problems);
  const due = PHASES[step.before];
  if (step.index !== step.before || phase !== due) {
    const expected = `positive, negative, restored, in this order and before every other step`;
    problems.add(control, 'CONTROL_ORDER', { expected, actual: phase });
  }
  return { step: step.name, phase, lay: readLaid(lay, context), ...readUndo(undo, context) };
}

/** Only regular files: what a control is given is bound to their digests. */
function readLaid(node: Node | undefined, context: Context): readonly PlacedFile[] {
  const files = readFiles(node, context);
  for (const { file, place } of files) {
    if (file.kind === 'file') continue;
    context.problems.add(place, 'VALUE_WRONG', { expected: 'a regular file', actual: `a ${file.kind}` });
  }
  return files;
}

function readUndo(node: Node | undefined, { problems }: Context): Pick<WrittenControl, 'remove' | 'restore'> {
  if (node === undefined) return { remove: [], restore: [] };
  const fields = readFields(node, { keys: KEYS.undo }, problems);
  const paths = (key: 'remove' | 'restore'): readonly string[] => {
    const found = fields.get(key);
    if (found === undefined) return [];
    return readOneOrMore(found, problems).map((item) => readPath(item, FOREIGN_CWD, problems));
  };
  return { remove: paths('remove'), restore: paths('restore') };
}

/** What a control lays is taken away again, and what the case lays at its path is laid again. */
export function toControl(written: WrittenControl, files: readonly CompiledFile[]): CompiledControl {
  const own = new Set(files.map(({ path }) => path));
  const laid = written.lay.flatMap(({ file }) => (file.kind === 'file' ? [file] : []));
  const paths = laid.map(({ path }) => path);
  return {
    step: written.step,
    phase: written.phase,
    files: laid,
    remove: [...new Set([...written.remove, ...paths.filter((path) => !own.has(path))])],
    restore: [...new Set([...written.restore, ...paths.filter((path) => own.has(path))])],
  };
}
