import { quoteText } from '../../document/fault.ts';
import type { Snapshot, SnapshotEntry } from '../../engine/engine.ts';
import type { Expectation, FileAspect } from '../compiled.ts';
import type { CaseObservation } from '../observation.ts';
import { fails, holds, isUnknown, type Judgement, judge } from './judgement.ts';
import type { Seen } from './seen.ts';

export type FileExpectation = Extract<
  Expectation,
  { readonly kind: 'files-unchanged' | 'path-changed' | 'path-absent' | 'file-is' | 'control-undone' }
>;

type Of<Kind extends FileExpectation['kind']> = Extract<FileExpectation, { readonly kind: Kind }>;

/** The writable places before the first and after the last step of a case. */
interface Listings {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Nothing was left out of any listing of the case. */
  readonly whole: boolean;
}

/** Judges a statement about what became of files. */
export function judgeFiles(expectation: FileExpectation, seen: Seen): Judgement {
  const observation = seen.case(null);
  if (observation === null) return isUnknown('the case was not observed');
  const { before } = observation;
  const after = afterOf(expectation, observation);
  if (after === null) return isUnknown('no snapshot was taken');
  const listings = { before, after, whole: filesWhole(observation) };
  switch (expectation.kind) {
    case 'files-unchanged':
      return judgeUnchanged(expectation, listings);
    case 'path-changed':
      return judgeChange(expectation, listings);
    case 'path-absent':
      return judgeAbsent(expectation.path, listings);
    case 'file-is':
      return judgeFile(expectation, listings);
    case 'control-undone':
      return judgeUndone(listings);
  }
}

/** The second of the two looks that are compared. */
function afterOf(expectation: FileExpectation, { after, controls }: CaseObservation): Snapshot | null {
  const name = expectation.kind === 'files-unchanged' ? null : expectation.control;
  if (name === null) return after;
  const control = controls.find(({ step }) => step === name);
  return (expectation.kind === 'control-undone' ? control?.undone : control?.ran) ?? null;
}

/** Every entry there, as it was. A case whose places were empty before must have them empty again. */
function judgeUndone(listings: Listings): Judgement {
  const all = {
    kind: 'files-unchanged',
    below: [''],
    except: [],
    compare: ['bytes', 'modes', 'times'],
  } as const;
  const isEmpty = listings.before.entries.length + listings.after.entries.length === 0;
  return isEmpty ? whenComplete(listings, holds('nothing there, as before')) : judgeUnchanged(all, listings);
}

/** Whether nothing was left out of any listing of a case. */
export function filesWhole({ before, controls, after }: CaseObservation): boolean {
  const looks = controls.flatMap(({ laid, ran, undone }) => [laid, ran, undone]);
  return [before, ...looks, after].every((snapshot) => (snapshot?.truncated ?? []).length === 0);
}

/** Before anything is said of what is not there, nothing may have been left out. */
function whenComplete({ whole }: Listings, judgement: Judgement): Judgement {
  return whole ? judgement : isUnknown('the snapshot is incomplete');
}

function judgeUnchanged(expected: Of<'files-unchanged'>, listings: Listings): Judgement {
  const inScope = ({ path }: SnapshotEntry): boolean =>
    isBelow(path, expected.below) && !isBelow(path, expected.except);
  const before = listings.before.entries.filter(inScope);
  const after = new Map(listings.after.entries.filter(inScope).map((entry) => [entry.path, entry]));
  const known = new Set(before.map(({ path }) => path));
  const fresh = [...after.values()].find((entry) => !known.has(entry.path));
  if (fresh !== undefined) return fails(`${show(fresh.path)} is new`);
  let unread: string | null = null;
  for (const entry of before) {
    const later = after.get(entry.path);
    if (later === undefined) return fails(`${show(entry.path)} is gone`);
    const difference = differenceOf(entry, later, expected.compare);
    if (difference === 'unread') unread = entry.path;
    else if (difference !== null) return fails(`${show(entry.path)}: ${difference}`);
  }
  if (unread !== null) return isUnknown(`${show(unread)} was not read`);
  return whenComplete(
    listings,
    before.length === 0 ? fails('nothing was there to compare') : holds(`${before.length} entries unchanged`),
  );
}

/** What differs between two looks at one path, null when nothing does. */
function differenceOf(
  before: SnapshotEntry,
  after: SnapshotEntry,
  aspects: readonly FileAspect[],
): string | null {
  if (before.kind !== after.kind) return `a ${before.kind} became a ${after.kind}`;
  if (aspects.includes('modes') && modesOf(before) !== modesOf(after)) {
    return `${modesOf(before)} became ${modesOf(after)}`;
  }
  // A folder's time moves with each entry that comes or goes, which is told by the entry itself.
  const timed = aspects.includes('times') && before.kind !== 'directory';
  if (timed && before.mtimeMs !== after.mtimeMs) return 'another time of modification';
  return aspects.includes('bytes') ? contentDifference(before, after) : null;
}

function modesOf({ mode, uid, gid }: SnapshotEntry): string {
  return `${mode} ${uid}:${gid}`;
}

function contentDifference(before: SnapshotEntry, after: SnapshotEntry): string | null {
  if (before.target !== after.target) return 'another target';
  if (before.kind !== 'file') return null;
  if (before.sizeBytes !== after.sizeBytes) return `${before.sizeBytes} bytes became ${after.sizeBytes}`;
  if (before.sha256 === null || after.sha256 === null) return 'unread';
  return before.sha256 === after.sha256 ? null : 'other bytes';
}

function find({ entries }: Snapshot, path: string): SnapshotEntry | null {
  return entries.find((entry) => entry.path === path) ?? null;
}

function judgeChange({ path, change }: Of<'path-changed'>, listings: Listings): Judgement {
  const [before, after] = [find(listings.before, path), find(listings.after, path)];
  const shown = `${show(path)} ${before === null ? 'was not there' : 'was there'} and is ${after === null ? 'not' : ''}`;
  if (change === 'created') return decide(before === null && after !== null, listings, shown);
  if (change === 'removed') return decide(before !== null && after === null, listings, shown);
  if (before === null || after === null) return decide(false, listings, shown);
  const difference = differenceOf(before, after, ['bytes']);
  if (difference === 'unread') return isUnknown(`${show(path)} was not read`);
  return judge(difference !== null, `${show(path)}: ${difference ?? 'as before'}`);
}

function decide(fact: boolean, listings: Listings, shown: string): Judgement {
  return whenComplete(listings, judge(fact, shown.trim()));
}

/** A link on the way leads to a place that the path does not name. */
function judgeAbsent(path: string, listings: Listings): Judgement {
  if (find(listings.after, path) !== null) return fails(`${show(path)} is there`);
  const way = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
  const link = way.find((part) => find(listings.after, part)?.kind === 'symlink');
  if (link !== undefined) return isUnknown(`${show(link)} is a link`);
  return whenComplete(listings, holds(`${show(path)} is not there`));
}

function judgeFile(expected: Of<'file-is'>, listings: Listings): Judgement {
  const { path, type, mode, sha256, target } = expected;
  const found = find(listings.after, path);
  if (found === null) return whenComplete(listings, fails(`${show(path)} is not there`, `a ${type}`));
  if (found.kind !== type) return fails(`${show(path)} is a ${found.kind}`, `a ${type}`);
  if (mode !== null && found.mode !== mode) {
    return fails(`${show(path)} has mode ${found.mode}`, `mode ${mode}`);
  }
  if (target !== null && found.target !== target) {
    return fails(`${show(path)} leads to ${show(found.target ?? 'nothing')}`, show(target));
  }
  if (sha256 === null) return holds(`${show(path)} is a ${type}`);
  if (found.sha256 === null) return isUnknown(`${show(path)} was not read`);
  const shown = `${show(path)} has ${found.sizeBytes} bytes, sha256 ${found.sha256}`;
  return found.sha256 === sha256 ? holds(shown) : fails(shown, `sha256 ${sha256}`);
}

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(`${root}/`));
}

function show(path: string): string {
  return quoteText(path, 80);
}
