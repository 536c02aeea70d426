import { quoteText } from '../../document/fault.ts';
import type { SnapshotEntry } from '../../engine/engine.ts';
import type { Expectation, StreamReference } from '../compiled.ts';
import type { CaseObservation } from '../observation.ts';
import { filesWhole } from './file-expectations.ts';
import { fails, holds, isUnknown, type Judgement, judge } from './judgement.ts';
import type { Seen, SeenStream } from './seen.ts';

export type AfterwardsExpectation = Extract<
  Expectation,
  {
    readonly kind:
      | 'file-equals-stream'
      | 'file-not-longer'
      | 'no-leftovers'
      | 'no-oom-kill'
      | 'no-files-created';
  }
>;

type Of<Kind extends AfterwardsExpectation['kind']> = Extract<AfterwardsExpectation, { readonly kind: Kind }>;

/** Left-overs and files named in a message. */
const NAMED = 5;

/** Judges a statement about what a case left: files, processes, kills for memory. */
export function judgeAfterwards(expectation: AfterwardsExpectation, seen: Seen): Judgement {
  const observation = seen.case(null);
  if (observation === null) return isUnknown('the case was not observed');
  switch (expectation.kind) {
    case 'file-equals-stream':
      return withFileAndStream({ path: expectation.path, stream: expectation.of }, seen, judgeSameFile);
    case 'file-not-longer':
      return withFileAndStream({ path: expectation.path, stream: expectation.than }, seen, judgeNotLonger);
    case 'no-leftovers':
      return judgeLeftovers(observation);
    case 'no-oom-kill':
      return judgeOomKill(observation, seen);
    case 'no-files-created':
      return judgeCreated(expectation, observation);
  }
}

function judgeSameFile(file: SnapshotEntry, stream: SeenStream): Judgement {
  const shown = `${file.path} has ${file.sizeBytes} bytes, ${stream.name} ${stream.observation.totalBytes}`;
  if (file.sha256 === null) return isUnknown(`${file.path} was not read`);
  return judge(
    file.sizeBytes === stream.observation.totalBytes && file.sha256 === stream.observation.totalSha256,
    shown,
  );
}

function judgeNotLonger(file: SnapshotEntry, stream: SeenStream): Judgement {
  const { totalBytes } = stream.observation;
  const shown = `${file.path} has ${file.sizeBytes} bytes, ${stream.name} ${totalBytes}`;
  return judge(file.sizeBytes <= totalBytes, shown);
}

function withFileAndStream(
  pair: { readonly path: string; readonly stream: StreamReference },
  seen: Seen,
  judgePair: (file: SnapshotEntry, stream: SeenStream) => Judgement,
): Judgement {
  const stream = seen.stream(pair.stream);
  const own = seen.case(null);
  const after = own?.after ?? null;
  if (own === null || after === null) return isUnknown('no snapshot was taken');
  if (stream === null || !stream.observation.eofSeen) return isUnknown(`${pair.stream.step} is incomplete`);
  const file = after.entries.find((entry) => entry.path === pair.path && entry.kind === 'file');
  if (file !== undefined) return judgePair(file, stream);
  return filesWhole(own) ? fails(`no file ${pair.path}`) : isUnknown('the snapshot is incomplete');
}

function judgeLeftovers(observation: CaseObservation): Judgement {
  const named = observation.leftovers
    .slice(0, NAMED)
    .map((process) => `"${quoteText(process.argv.join(' '), 80)}"`);
  const count = observation.leftovers.length;
  return judge(count === 0, count === 0 ? 'no process was left' : `${count} left: ${named.join(', ')}`);
}

/** The counter sees kills of any process of the box; the flags are what engine and step were told. */
function judgeOomKill(observation: CaseObservation, seen: Seen): Judgement {
  const references = observation.steps.filter(({ name }) => seen.isReference(name));
  if (references.some(({ oomKilled }) => oomKilled)) return judgeOwnOomKill(observation, seen);
  const killed =
    observation.end.oomKilled ||
    (observation.end.oomKills ?? 0) > 0 ||
    observation.steps.some((step) => step.oomKilled);
  return judge(!killed, killed ? 'a process was killed for memory' : 'no process was killed for memory');
}

/** Where a reference lost a process: the kill is the candidate's only when no step of a reference has the mark. */
function judgeOwnOomKill({ steps }: CaseObservation, seen: Seen): Judgement {
  const marked = steps.some(({ name, oomKilled }) => oomKilled && !seen.isReference(name));
  return marked
    ? isUnknown('a process was killed for memory, of a reference or of the candidate')
    : holds('only a reference lost a process for memory');
}

function judgeCreated(expected: Of<'no-files-created'>, observation: CaseObservation): Judgement {
  if (observation.after === null) return isUnknown('no snapshot was taken');
  const before = new Set(observation.before.entries.map((entry) => entry.path));
  const created = observation.after.entries.filter(
    (entry) =>
      !before.has(entry.path) &&
      isBelowAny(entry.path, expected.below) &&
      !isBelowAny(entry.path, expected.except),
  );
  if (created.length > 0) {
    const named = created.slice(0, NAMED).map((entry) => quoteText(entry.path, 80));
    return fails(`${created.length} created: ${named.join(', ')}`);
  }
  return filesWhole(observation) ? holds('no file was created') : isUnknown('the snapshot is incomplete');
}

function isBelowAny(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(`${root}/`));
}
