import type { Action, LeftFile, SeenCase, SeenControl, SeenStep } from '../evaluate/scene.ts';
import type { Attempt, FilesLine, LookLine, TranscriptLine } from '../shape/receipt.ts';

/** The parts of the bundle that tell of one attempt. */
export interface AttemptFiles {
  readonly attempt: Attempt;
  /** Steps of the case that are references. */
  readonly references: readonly string[];
  readonly files: readonly FilesLine[];
  readonly transcript: readonly TranscriptLine[];
  readonly lookLines: readonly LookLine[];
  readonly bytes: SeenCase['bytes'];
  readonly fileBytes: SeenCase['fileBytes'];
}

/** A snapshot's event says how many entries it gave, or why it gave none. */
const SNAPSHOT_TAKEN = /^[0-9]+ entries$/;

/** Puts the parts of one attempt together as statements look at it. */
export function toSeenCase({
  attempt,
  references,
  files,
  transcript,
  lookLines,
  bytes,
  fileBytes,
}: AttemptFiles): SeenCase {
  const { end, teardown } = attempt;
  const taken = teardown.some(({ action, detail }) => action === 'snapshot' && SNAPSHOT_TAKEN.test(detail));
  return {
    steps: new Map(
      attempt.steps.map((step) => [step.name, { ...step, actions: actionsOf(step.name, transcript) }]),
    ),
    references: new Set(references),
    leftovers: attempt.leftovers.length,
    oomKilled: end.oomKilled || (end.oomKills ?? 0) > 0 || attempt.steps.some(({ oomKilled }) => oomKilled),
    before: new Set(files.filter(({ when }) => when === 'before').map(({ path }) => path)),
    after: taken ? leftFiles(files) : null,
    listed: {
      before: files.filter(({ when }) => when === 'before'),
      after: files.filter(({ when }) => when === 'after'),
    },
    filesWhole: attempt.filesTruncated.length === 0,
    controls: toControls(attempt, lookLines),
    bytes,
    fileBytes,
  };
}

/** A look around a control that was taken says so among the events. */
const LOOK_TAKEN = /^([a-z0-9-]+) (laid|ran|undone): [0-9]+ entries$/;

function toControls({ teardown }: Attempt, lines: readonly LookLine[]): SeenCase['controls'] {
  const controls = new Map<string, SeenControl>();
  for (const { action, detail } of teardown) {
    const [, step, when] = (action === 'snapshot' ? LOOK_TAKEN.exec(detail) : null) ?? [];
    if (step === undefined || when === undefined) continue;
    const known = controls.get(step) ?? { laid: null, ran: null, undone: null };
    const found = lines.filter((line) => line.step === step && line.when === when);
    controls.set(step, { ...known, [when]: found });
  }
  return controls;
}

function actionsOf(step: string, transcript: readonly TranscriptLine[]): SeenStep['actions'] {
  return transcript.flatMap((line): Action[] =>
    line.step === step && line.kind !== 'output'
      ? [{ kind: line.kind, detail: line.detail, atMs: line.atMs }]
      : [],
  );
}

function leftFiles(files: readonly FilesLine[]): ReadonlyMap<string, LeftFile> {
  return new Map(files.filter(({ when }) => when === 'after').map((file) => [file.path, file]));
}
