import type { Action, LeftFile, SeenCase, SeenStep } from '../evaluate/scene.ts';
import type { Attempt, FilesLine, TranscriptLine } from '../shape/receipt.ts';

/** The parts of the bundle that tell of one attempt. */
export interface AttemptFiles {
  readonly attempt: Attempt;
  readonly files: readonly FilesLine[];
  readonly transcript: readonly TranscriptLine[];
  readonly bytes: SeenCase['bytes'];
  readonly fileBytes: SeenCase['fileBytes'];
}

/** A snapshot's event says how many entries it gave, or why it gave none. */
const SNAPSHOT_TAKEN = /^[0-9]+ entries$/;

/** Puts the parts of one attempt together as statements look at it. */
export function toSeenCase({ attempt, files, transcript, bytes, fileBytes }: AttemptFiles): SeenCase {
  const { end, teardown } = attempt;
  const taken = teardown.some(({ action, detail }) => action === 'snapshot' && SNAPSHOT_TAKEN.test(detail));
  return {
    steps: new Map(
      attempt.steps.map((step) => [step.name, { ...step, actions: actionsOf(step.name, transcript) }]),
    ),
    leftovers: attempt.leftovers.length,
    oomKilled: end.oomKilled || (end.oomKills ?? 0) > 0 || attempt.steps.some(({ oomKilled }) => oomKilled),
    before: new Set(files.filter(({ when }) => when === 'before').map(({ path }) => path)),
    after: taken ? leftFiles(files) : null,
    listed: {
      before: files.filter(({ when }) => when === 'before'),
      after: files.filter(({ when }) => when === 'after'),
    },
    filesWhole: attempt.filesTruncated.length === 0,
    bytes,
    fileBytes,
  };
}

function actionsOf(step: string, transcript: readonly TranscriptLine[]): SeenStep['actions'] {
  return transcript.flatMap((line): Action[] =>
    line.step === step && line.kind !== 'output'
      ? [{ kind: line.kind, detail: line.detail, atMs: line.atMs }]
      : [],
  );
}

/** Names that are no UTF-8 are stored escaped and may look like another's; a regular file then goes first. */
function leftFiles(files: readonly FilesLine[]): ReadonlyMap<string, LeftFile> {
  const left = new Map<string, LeftFile>();
  for (const file of files) {
    if (file.when !== 'after') continue;
    if (left.get(file.path)?.kind !== 'file') left.set(file.path, file);
  }
  return left;
}
