import type { ControlLine, FilesLine, ProgramLine } from '../evidence/receipt.ts';
import type { CompiledVolatile } from '../suite/compiled.ts';
import { nameKey, type Undecisive } from './asserted.ts';
import type { Difference } from './difference.ts';
import { describeEntries, type Looked, sameEntry } from './entries.ts';
import { findFirstBytes } from './first-bytes.ts';
import type { StoredBundle } from './stored-bundle.ts';
import { whyFileDiffers } from './volatile.ts';

/** Two bundles, and the folder of one attempt of a case, the same in both; it ends with a slash. */
export interface AttemptPlace {
  readonly recorded: StoredBundle;
  readonly replayed: StoredBundle;
  readonly base: string;
  readonly caseId: string;
  readonly undecisive: Undecisive;
  /** What the case says may differ. */
  readonly parts: readonly CompiledVolatile[];
}

/**
 * What was around the controls and references of an attempt, the first difference of each look, and of what each
 * ran.
 *
 * A control shows that an effect can be seen. Whether a file came of it, or of which kind, is that effect: another
 * one is decisive, and so is everything about what was laid before it, about the program that it is, and about what
 * was left after its undo, which is no program's doing. Other bytes in a file that it left are drift, as in the candidate's own, and so is everything
 * around a reference.
 */
export async function compareControls(place: AttemptPlace): Promise<readonly Difference[]> {
  const [left, right] = [await readLooks(place, 'recorded'), await readLooks(place, 'replayed')];
  const differences: Difference[] = [];
  for (const look of new Set([...left.keys(), ...right.keys()])) {
    const [before, after] = [left.get(look) ?? new Map(), right.get(look) ?? new Map()];
    const differing = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => !sameEntry(before.get(path), after.get(path)),
    );
    const step = nameKey(place.caseId, look.slice(0, look.lastIndexOf(' ')));
    const gates = !place.undecisive.looks.has(step);
    const shown = differing.find((path) => gates && isDecisive(look, before.get(path), after.get(path)));
    const path = shown ?? differing[0];
    if (path === undefined) continue;
    const [recorded, replayed] = describeEntries(before.get(path), after.get(path));
    const more = differing.length === 1 ? '' : ` and ${differing.length - 1} more`;
    const where = `${look} ${path}${more}`;
    differences.push({
      kind: 'control',
      decisive: shown !== undefined,
      volatile: null,
      where,
      recorded,
      replayed,
      bytes: null,
    });
  }
  return differences;
}

function isDecisive(look: string, left: Looked | undefined, right: Looked | undefined): boolean {
  return !look.endsWith(' ran') || left?.kind !== right?.kind;
}

/** Entries by look, `STEP laid`, and path; files of a command by word. A case without controls has no such file. */
async function readLooks(
  place: AttemptPlace,
  side: 'recorded' | 'replayed',
): Promise<ReadonlyMap<string, ReadonlyMap<string, Looked>>> {
  const path = `${place.base}controls.ndjson`;
  const looks = new Map<string, Map<string, Looked>>();
  if (!place[side].files.has(path)) return looks;
  for (const line of await place[side].readLines<ControlLine>(path)) {
    const look = `${line.step} ${line.when}`;
    const entries = looks.get(look) ?? new Map<string, Looked>();
    if (line.when === 'program') entries.set(`argv[${line.word}]`, toLooked(line));
    else {
      const { mtimeMs: _mtimeMs, step: _step, when: _when, ...entry } = line;
      entries.set(entry.path, entry);
    }
    looks.set(look, entries);
  }
  return looks;
}

function toLooked({ file }: ProgramLine): Looked {
  return file === null ? { kind: 'no listed file' } : { kind: 'file', ...file };
}

/**
 * Files of which both bundles kept the bytes because a check looked into them: where those of one path part, which
 * is drift like any other content of a file; and bytes that a check could look into in one of the two alone, though
 * both had the file, which is decisive.
 */
export async function compareKept(place: AttemptPlace): Promise<readonly Difference[]> {
  const [left, right] = [await readAfter(place, 'recorded'), await readAfter(place, 'replayed')];
  const differences: Difference[] = [];
  for (const [path, before] of left) {
    const after = right.get(path);
    if (before.sha256 === null || after?.sha256 === null || after?.sha256 === undefined) continue;
    const [ours, theirs] = [`${place.base}files/${before.sha256}`, `${place.base}files/${after.sha256}`];
    const kept = [place.recorded.files.has(ours), place.replayed.files.has(theirs)];
    const where = `after ${path}`;
    if (kept[0] !== kept[1]) {
      const [recorded = '', replayed = ''] = kept.map((one) => (one ? 'kept' : 'not kept'));
      differences.push({
        kind: 'kept-file',
        decisive: true,
        volatile: null,
        where,
        recorded,
        replayed,
        bytes: null,
      });
    } else if (kept[0] === true && before.sha256 !== after.sha256) {
      const bytes = await findFirstBytes(place.recorded.path(ours), place.replayed.path(theirs));
      const [recorded, replayed] = [`sha256 ${before.sha256}`, `sha256 ${after.sha256}`];
      const volatile = whyFileDiffers(place.parts, path);
      differences.push({ kind: 'kept-file', decisive: false, volatile, where, recorded, replayed, bytes });
    }
  }
  return differences;
}

async function readAfter(
  place: AttemptPlace,
  side: 'recorded' | 'replayed',
): Promise<ReadonlyMap<string, FilesLine>> {
  const lines = await place[side].readLines<FilesLine>(`${place.base}files.ndjson`);
  return new Map(lines.filter(({ when }) => when === 'after').map((line) => [line.path, line]));
}
