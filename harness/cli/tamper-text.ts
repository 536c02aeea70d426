import type { TamperDocument } from '../tamper/tamper-document.ts';
import { toLogText } from './output.ts';

/** More lines than a person reads; the rest is in the document of `--json`. */
const SHOWN = 60;

/** The result for people: what was accepted that must not be, and what needs the signature or a replay. */
export function toTamperText(document: TamperDocument): string {
  const { kinds, accepted, survivors } = document;
  const idle = kinds.filter(({ state }) => state === 'not-exercised');
  const lines = [
    `${document.result}  ${document.mutations} changes of ${kinds.length - idle.length} kinds, ${document.rejected} rejected, ${accepted.length} accepted that must not be, ${survivors.length} fields that need the signature or a replay, ${(document.durationMs / 1000).toFixed(1)} s, exit ${document.exitCode}`,
    ...accepted
      .slice(0, SHOWN)
      .map(
        ({ kind, level, place, judgedWith }) =>
          `  accepted ${level} ${kind} (${judgedWith}): ${toLogText(place, 300)}`,
      ),
    ...(accepted.length > SHOWN ? [`  … ${accepted.length - SHOWN} more`] : []),
    ...survivors.map(
      ({ document: path, field, kinds: by }) =>
        `  needs the signature or a replay: ${toLogText(`${path} ${field}`.trim())} (${by.join(', ')})`,
    ),
    ...(idle.length === 0 ? [] : [`  not exercised: ${idle.map(({ kind }) => kind).join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}
