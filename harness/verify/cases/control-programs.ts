import type { Findings } from '../finding.ts';
import type { InventoryLine } from '../shape/inputs.ts';
import type { ProgramLine } from '../shape/receipt.ts';
import type { SuiteCase, SuiteStep } from '../shape/suite.ts';
import { BoxPlaces, isExecutable, type Placed, toPathText } from './box-places.ts';
import type { StoredAttempt } from './stored-attempt.ts';
import { isWritable } from './writable.ts';

/** What of an attempt decides which programs its controls ran. */
export interface JudgedAttempt extends Pick<StoredAttempt, 'base' | 'programLines'> {
  readonly seen: Pick<StoredAttempt['seen'], 'controls'>;
  readonly attempt: {
    readonly steps: readonly Pick<StoredAttempt['attempt']['steps'][number], 'name' | 'termination'>[];
  };
}

/** Folders that a launch looks into when the environment of a step has no PATH. */
const PATH_UNSET = '/bin:/usr/bin';

/**
 * The files that the commands of controls and references name are those that follow from their argv, the listing
 * of what was laid before them, and the inventory of the image, by digest.
 *
 * Returns the path of each one's program, null where no listed file is its.
 */
export function checkPrograms(
  declared: SuiteCase,
  { base, seen, programLines, attempt }: JudgedAttempt,
  { image, findings }: { readonly image: ReadonlyMap<string, InventoryLine>; readonly findings: Findings },
): readonly (string | null)[] {
  const programs: (string | null)[] = [];
  for (const { step: name } of [...declared.controls, ...declared.references]) {
    const step = declared.steps.find((one) => one.name === name);
    const laid = seen.controls.get(name)?.laid ?? null;
    const told = programLines.filter((line) => line.step === name);
    const due =
      step === undefined || laid === null ? [] : namedFiles(step, new BoxPlaces(image, laid), declared.exec);
    for (let index = 0; index < Math.max(due.length, told.length); index += 1) {
      const [expected, actual] = [show(due[index]), show(told[index])];
      if (expected === actual) continue;
      findings.add('CONTROL_PROGRAM', `${base}controls.ndjson ${name} program`, expected, actual);
      break;
    }
    const ran = attempt.steps.some((one) => one.name === name && one.termination.kind !== 'not-started');
    const [program] = due;
    if (ran && program !== undefined) programs.push(program.file?.path ?? null);
  }
  return programs;
}

type Named = Pick<ProgramLine, 'word' | 'file'>;

function namedFiles(step: SuiteStep, places: BoxPlaces, exec: boolean): readonly Named[] {
  const [first = '', ...others] = step.argv.map(toPathText);
  const named: Named[] = [{ word: 0, file: toFile(findProgram(first, step, { places, exec })) }];
  for (const [index, word] of others.entries()) {
    const found = places.at(absolute(step, word));
    if (found === null || found === 'unlisted' || found.kind !== 'file') continue;
    named.push({ word: index + 1, file: toFile(found) });
  }
  return named;
}

/**
 * What starts is the first of the paths that may be executed. A name without a slash is tried in every folder of
 * PATH; an empty one there is the folder that the step starts in.
 */
function findProgram(
  name: string,
  step: SuiteStep,
  { places, exec }: { readonly places: BoxPlaces; readonly exec: boolean },
): Placed | null {
  if (name === '') return null;
  const inPath = toPathText(step.env['PATH'] ?? PATH_UNSET).split(':');
  const paths = name.includes('/')
    ? [name]
    : inPath.map((folder) => `${folder === '' ? '.' : folder}/${name}`);
  for (const path of paths) {
    const found = places.at(absolute(step, path));
    if (found === 'unlisted') return null;
    if (found?.kind !== 'file' || !isExecutable(found)) continue;
    if (exec || !isWritable(found.path)) return found;
  }
  return null;
}

function absolute({ cwd }: SuiteStep, path: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

function toFile(found: Placed | null): Named['file'] {
  if (found === null) return null;
  const { path, mode, sizeBytes, sha256 } = found;
  return { path, mode, sizeBytes, sha256 };
}

function show(named: Named | undefined): string {
  if (named === undefined) return 'no further file';
  const { word, file } = named;
  if (file === null) return `argv[${word}] no listed file`;
  return `argv[${word}] ${file.path} ${file.mode} ${file.sizeBytes} ${file.sha256 ?? 'unread'}`;
}
