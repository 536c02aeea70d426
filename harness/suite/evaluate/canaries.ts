import { boxPathBytes } from '../../document/box-path.ts';
import { quoteText } from '../../document/fault.ts';
import type { SnapshotEntry, StreamName } from '../../engine/engine.ts';
import type { Expectation } from '../compiled.ts';
import type { CaseObservation } from '../observation.ts';
import { filesWhole } from './file-expectations.ts';
import { fails, holds, isUnknown, type Judgement } from './judgement.ts';
import type { Seen } from './seen.ts';

const STREAMS: readonly StreamName[] = ['stdout', 'stderr'];

/** A place that was looked into; null bytes are what could not be read. */
interface Place {
  readonly name: string;
  readonly bytes: Buffer | null;
  /** All of it was looked into. */
  readonly whole: boolean;
}

/** Judges that none of the texts is anywhere in what a case gave out or left behind. */
export function judgeCanaries(
  { texts }: Extract<Expectation, { readonly kind: 'no-canaries' }>,
  seen: Seen,
): Judgement {
  const own = seen.case(null);
  if (own === null) return isUnknown('the case was not observed');
  const canaries = texts.map((text) => Buffer.from(text, 'utf8'));
  let unread: string | null = null;
  for (const { name, bytes, whole } of places(own, seen)) {
    const found = bytes === null ? -1 : canaries.findIndex((canary) => bytes.includes(canary));
    if (found !== -1) return fails(`canary ${found + 1} is in ${quoteText(name, 80)}`);
    if (bytes === null || !whole) unread ??= name;
  }
  if (own.after === null) return isUnknown('no snapshot was taken');
  if (unread !== null) return isUnknown(`${quoteText(unread, 80)} was not looked into as a whole`);
  return filesWhole(own) ? holds('no canary was found') : isUnknown('the snapshot is incomplete');
}

function* places(own: CaseObservation, seen: Seen): Generator<Place, void, undefined> {
  for (const { name } of own.steps) {
    // What a reference makes of what it is given is not the candidate's.
    if (seen.isReference(name)) continue;
    for (const stream of STREAMS) {
      const found = seen.stream({ caseId: null, step: name, stream });
      yield { name: `${name} ${stream}`, bytes: found?.bytes ?? null, whole: found?.complete ?? false };
    }
  }
  for (const entry of changedEntries(own)) {
    const { path, target, sha256 } = entry;
    yield { name: path, bytes: boxPathBytes(path), whole: true };
    if (target !== null) yield { name: path, bytes: boxPathBytes(target), whole: true };
    if (entry.kind === 'file') {
      yield { name: path, bytes: sha256 === null ? null : seen.file(sha256), whole: true };
    }
  }
}

/** What is new after the last step, or has another kind, content or target than before the first. */
export function changedEntries({
  before,
  after,
}: Pick<CaseObservation, 'before' | 'after'>): readonly SnapshotEntry[] {
  const known = new Map(before.entries.map((entry) => [entry.path, entry]));
  return (after?.entries ?? []).filter((entry) => {
    const was = known.get(entry.path);
    if (was === undefined || was.kind !== entry.kind || was.target !== entry.target) return true;
    return entry.kind === 'file' && (was.sha256 === null || was.sha256 !== entry.sha256);
  });
}
