import { toPathBytes } from '../path-text.ts';
import type { FilesLine } from '../shape/receipt.ts';
import type { PlainExpectation } from '../shape/suite.ts';
import type { Scene, SeenCase } from './scene.ts';
import { least, NO, type Truth, UNKNOWN, YES } from './truth.ts';

type Of<K extends PlainExpectation['kind']> = Extract<PlainExpectation, { readonly kind: K }>;

/** The rule about texts that nothing may repeat. */
export const canaryRules: {
  readonly 'no-canaries': (stated: Of<'no-canaries'>, scene: Scene) => Truth;
} = {
  'no-canaries': ({ texts }, scene) => {
    const { own } = scene;
    if (own === null) return UNKNOWN;
    const canaries = texts.map((text) => Buffer.from(text, 'utf8'));
    const isFree = (bytes: Buffer | null): Truth => {
      if (bytes === null) return UNKNOWN;
      return canaries.some((canary) => bytes.includes(canary)) ? NO : YES;
    };
    const steps = [...own.steps.keys()].filter((step) => !own.references.has(step));
    const streams = steps.flatMap((step) =>
      (['stdout', 'stderr'] as const).map((stream) => {
        const found = scene.stream({ caseId: null, step, stream });
        const truth = isFree(found?.bytes ?? null);
        return truth === YES && found?.whole !== true ? UNKNOWN : truth;
      }),
    );
    const files = freshLines(own).flatMap((line) => [
      isFree(toPathBytes(line.path)),
      line.target === null ? YES : isFree(toPathBytes(line.target)),
      line.kind === 'file' ? isFree(line.sha256 === null ? null : own.fileBytes(line.sha256)) : YES,
    ]);
    const listing = own.after !== null && own.filesWhole ? YES : UNKNOWN;
    return least([...streams, ...files, listing]);
  },
};

/** Lines of the last listing that the first has not, or has with other content. */
function freshLines({ listed, after }: SeenCase): readonly FilesLine[] {
  if (after === null) return [];
  const describe = ({ path, kind, target, sha256 }: FilesLine): string =>
    JSON.stringify([path, kind, target, sha256]);
  const old = new Set(listed.before.filter(isRead).map(describe));
  return listed.after.filter((line) => !old.has(describe(line)));
}

/** A file that was not read may have been anything. */
function isRead({ kind, sha256 }: FilesLine): boolean {
  return kind !== 'file' || sha256 !== null;
}
