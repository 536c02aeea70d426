import type { Node } from 'yaml';
import type { CompiledCheck, CompiledReference } from '../compiled.ts';
import { stepsOfCheck } from '../spoken-steps.ts';
import type { Context } from './context.ts';
import { type PlacedFile, readFiles } from './files.ts';
import { WORDS } from './keys.ts';
import { type Fields, readText, readWord } from './read.ts';
import { suggest } from './suggest.ts';

/** A reference as it is written. */
export interface WrittenReference {
  readonly step: string;
  readonly archive: string;
  readonly reset: readonly PlacedFile[];
}

/** Where a step stands among those of its case. */
export interface StepPlace {
  readonly name: string;
  readonly index: number;
  /** How many controls and references stand before it. */
  readonly before: number;
}

/** The context in which a step is read: that of a reference may name its archive. */
export function contextOfStep(fields: Fields, context: Context): Context {
  const [kind, archive] = [fields.get('kind'), fields.get('archive')];
  if (kind === undefined || archive === undefined) return context;
  return { ...context, archive: readText(archive, context.problems) };
}

/**
 * The reference that a step is, null for every other. One after a step of the candidate is refused: nothing that
 * is executed in a box is believed any more once the candidate has run there.
 */
export function readReference(fields: Fields, step: StepPlace, context: Context): WrittenReference | null {
  const { problems } = context;
  const [kind, archiveNode, reset] = [fields.get('kind'), fields.get('archive'), fields.get('reset')];
  if (kind === undefined) {
    for (const stray of [archiveNode, reset]) {
      if (stray === undefined) continue;
      problems.add(stray, 'KEY_CONFLICT', { expected: 'kind: reference beside it', actual: 'none' });
    }
    return null;
  }
  readWord(kind, WORDS.stepKind, problems);
  refuseControl(fields, context);
  if (step.index !== step.before) {
    const expected = 'references after the controls and before every step of the candidate';
    problems.add(kind, 'REFERENCE_ORDER', { expected, actual: step.name });
  }
  return {
    step: step.name,
    archive: readArchiveName(fields, archiveNode, context),
    reset: readReset(reset, context),
  };
}

function refuseControl(fields: Fields, { problems }: Context): void {
  for (const key of ['control', 'lay', 'undo'] as const) {
    const node = fields.get(key);
    if (node !== undefined) {
      problems.add(node, 'KEY_CONFLICT', { expected: `no ${key} of a reference`, actual: 'one' });
    }
  }
}

function readArchiveName(fields: Fields, node: Node | undefined, { archives, problems }: Context): string {
  if (node === undefined) {
    problems.add(fields.place, 'KEY_MISSING', { expected: 'a key archive', actual: 'none' });
    return '';
  }
  const name = readText(node, problems);
  if (!archives.includes(name)) {
    const expected = archives.length === 0 ? 'an archive of the suite' : `one of ${archives.join(', ')}`;
    problems.add(node, 'ARCHIVE_UNKNOWN', { expected, actual: `${name}${suggest(name, archives)}` });
  }
  return name;
}

/** Only regular files: what a reference is given is bound to their digests. */
function readReset(node: Node | undefined, context: Context): readonly PlacedFile[] {
  const files = readFiles(node, context);
  for (const { file, place } of files) {
    if (file.kind === 'file') continue;
    context.problems.add(place, 'VALUE_WRONG', { expected: 'a regular file', actual: `a ${file.kind}` });
  }
  return files;
}

export function toReference({ step, archive, reset }: WrittenReference): CompiledReference {
  return { step, archive, files: reset.flatMap(({ file }) => (file.kind === 'file' ? [file] : [])) };
}

/** Steps of a case, and which of them are references; of other cases too. */
export interface ReferenceScope {
  readonly caseId: string;
  readonly references: readonly string[];
  /** Reference steps of all cases, by case id. */
  readonly allReferences: ReadonlyMap<string, readonly string[]>;
}

/** A check that speaks of a reference informs, of its own case alone, and of nothing that gates. */
export function refuseGating(
  check: CompiledCheck,
  scope: ReferenceScope,
  { place, context }: { readonly place: Node; readonly context: Context },
): void {
  const { problems } = context;
  for (const { caseId, step } of stepsOfCheck(check)) {
    const isOwn = caseId === null || caseId === scope.caseId;
    const isReference = (isOwn ? scope.references : (scope.allReferences.get(caseId) ?? [])).includes(step);
    if (!isReference) continue;
    if (!isOwn) {
      const expected = 'a reference of the same case';
      problems.add(place, 'REFERENCE_ELSEWHERE', { expected, actual: `${step} of ${caseId}` });
    } else if (check.severity !== 'info') {
      const expected = `severity: info, because it speaks of the reference ${step}`;
      problems.add(place, 'REFERENCE_GATES', { expected, actual: check.severity });
    }
    return;
  }
}
