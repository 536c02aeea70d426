import type { Termination } from '../shape/receipt.ts';
import type { EndingPattern, PlainExpectation } from '../shape/suite.ts';
import { classify } from './classify.ts';
import type { LeftFile, Scene, SeenStream } from './scene.ts';
import { NO, type Truth, truthOf, UNKNOWN, YES } from './truth.ts';

type Of<K extends PlainExpectation['kind']> = Extract<PlainExpectation, { readonly kind: K }>;
type CaseKind = Exclude<
  PlainExpectation['kind'],
  | `stream${string}`
  | `json${string}`
  | 'files-unchanged'
  | `path${string}`
  | 'file-is'
  | 'no-canaries'
  | 'control-undone'
>;

/** One rule for each statement about how steps ended and what a case left. */
export const caseRules: { readonly [K in CaseKind]: (stated: Of<K>, scene: Scene) => Truth } = {
  termination: (stated, scene) => {
    const step = scene.step(stated.caseId, stated.step);
    if (step === null) return UNKNOWN;
    return truthOf(stated.anyOf.some((pattern) => isSuch(step.termination, pattern)));
  },
  duration: (stated, scene) => {
    const step = scene.step(null, stated.step);
    if (step === null) return UNKNOWN;
    const { minMs, maxMs } = stated;
    return truthOf(step.durationMs >= (minMs ?? 0) && step.durationMs <= (maxMs ?? Number.POSITIVE_INFINITY));
  },
  'exit-lag': (stated, scene) => {
    const step = scene.step(null, stated.step);
    if (step === null) return UNKNOWN;
    const times = [step.stdout.lastByteAtMs, step.stderr.lastByteAtMs].filter((time) => time !== null);
    // A step without output has nothing to lag behind.
    return truthOf(times.length === 0 || step.durationMs - Math.max(...times) <= stated.maxMs);
  },
  'ended-after-signal': (stated, scene) => {
    const step = scene.step(null, stated.step);
    if (step === null) return UNKNOWN;
    const sent = step.actions.find(({ kind, detail }) => kind === 'signal' && detail === stated.signal);
    if (sent === undefined) return NO;
    const { termination } = step;
    const itself =
      termination.kind === 'exited' || (termination.kind === 'signaled' && termination.signal !== 'SIGKILL');
    return truthOf(itself && step.durationMs - sent.atMs <= stated.withinMs);
  },
  'action-absent': (stated, scene) => {
    const step = scene.step(null, stated.step);
    if (step === null) return UNKNOWN;
    return truthOf(
      !step.actions.some(({ kind, detail }) => kind === stated.action && detail === stated.detail),
    );
  },
  'no-leftovers': (_, scene) => (scene.own === null ? UNKNOWN : truthOf(scene.own.leftovers === 0)),
  'no-oom-kill': (_, { own }) => {
    if (own === null) return UNKNOWN;
    const marked = [...own.steps].filter(([, { oomKilled }]) => oomKilled);
    if (!marked.some(([name]) => own.references.has(name))) return truthOf(!own.oomKilled);
    // A reference lost a process; where its mark stands beside the candidate's, nobody can tell whose it was.
    return marked.every(([name]) => own.references.has(name)) ? YES : UNKNOWN;
  },
  'no-files-created': (stated, scene) => {
    const own = scene.own;
    if (own === null || own.after === null) return UNKNOWN;
    for (const path of own.after.keys()) {
      if (!own.before.has(path) && lies(path, stated.below) && !lies(path, stated.except)) return NO;
    }
    return own.filesWhole ? YES : UNKNOWN;
  },
  'file-equals-stream': (stated, scene) =>
    ofFileAndStream(stated.path, scene.stream(stated.of), scene, ({ sizeBytes, sha256 }, stream) => {
      if (sha256 === null) return UNKNOWN;
      const { totalBytes, totalSha256 } = stream.record;
      return truthOf(sizeBytes === totalBytes && sha256 === totalSha256);
    }),
  'file-not-longer': (stated, scene) =>
    ofFileAndStream(stated.path, scene.stream(stated.than), scene, ({ sizeBytes }, stream) =>
      truthOf(sizeBytes <= stream.record.totalBytes),
    ),
  classified: (stated, scene) => {
    if (scene.case(stated.caseId) === null) return UNKNOWN;
    return truthOf(stated.classes.includes(classify(scene, stated.caseId)));
  },
};

function isSuch(termination: Termination, pattern: EndingPattern): boolean {
  switch (pattern.kind) {
    case 'exited':
      if (termination.kind !== 'exited') return false;
      if (pattern.codes === 'any') return true;
      return pattern.codes === 'nonzero' ? termination.code !== 0 : pattern.codes.includes(termination.code);
    case 'signaled':
      if (termination.kind !== 'signaled') return false;
      return pattern.signals === 'any' || pattern.signals.includes(termination.signal);
    default:
      return termination.kind === pattern.kind;
  }
}

function lies(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(`${root}/`));
}

function ofFileAndStream(
  path: string,
  stream: SeenStream | null,
  scene: Scene,
  judge: (file: LeftFile, stream: SeenStream) => Truth,
): Truth {
  const own = scene.own;
  if (own === null || own.after === null || stream === null || !stream.record.eofSeen) return UNKNOWN;
  const file = own.after.get(path);
  if (file !== undefined && file.kind === 'file') return judge(file, stream);
  return own.filesWhole ? NO : UNKNOWN;
}
