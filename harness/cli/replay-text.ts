import { isUtf8 } from 'node:buffer';
import type { Difference, ReplayResult } from '../replay/difference.ts';
import type { ReplayDocument, ReplaySide } from '../replay/replay-document.ts';
import { type Paint, paint, toLogText } from './output.ts';

/** More lines than a person reads; the rest is in the document. */
const SHOWN_DIFFERENCES = 40;

const HUES: Readonly<Record<ReplayResult, Paint>> = {
  identical: 'green',
  equivalent: 'yellow',
  different: 'red',
};

/** Controls but those that text files have. */
const UNPRINTABLE = /[^\P{C}\t\n\r]/u;

/** The result of a replay for people: one line that says it, then what differs and where the bytes part. */
export function toReplayText(document: ReplayDocument, color: boolean): string {
  const { result, candidate, counts, recorded, replayed } = document;
  const word = paint(result, HUES[result], color);
  const name = toLogText(`${candidate.name}@${candidate.version}`);
  const numbers = `${counts.identical} identical, ${counts.equivalent} equivalent, ${counts.different} different`;
  const seconds = (document.durationMs / 1000).toFixed(1);
  const lines = [
    `${word}  ${name}  ${numbers}  ${seconds} s, exit ${document.exitCode}`,
    `  recorded ${describe(recorded)}`,
    `  replayed ${describe(replayed)}`,
    ...(document.sameBoundary ? [] : ['  the declared boundary is another one']),
    ...differenceLines(document),
  ];
  return `${lines.join('\n')}\n`;
}

function describe({ runId, engine, harness }: ReplaySide): string {
  const where = engine === null ? 'no engine' : `${engine.name} ${engine.version}`;
  return toLogText(`${runId} on ${where}, packproof ${harness.version}`);
}

function differenceLines({ cases }: ReplayDocument): readonly string[] {
  const all = cases.flatMap(({ id, differences }) => differences.map((one) => toLine(id, one)));
  const rest = all.length - SHOWN_DIFFERENCES;
  return rest > 0 ? [...all.slice(0, SHOWN_DIFFERENCES), `  … ${rest} more`] : all;
}

function toLine(id: string, difference: Difference): string {
  const { kind, decisive, volatile, where, recorded, replayed, bytes } = difference;
  const place = [id, kind, where].filter((part) => part !== '').join(' ');
  const at =
    bytes === null
      ? `recorded ${recorded}, replayed ${replayed}`
      : `from byte ${bytes.offset} recorded ${showBytes(bytes.recordedHex)}, replayed ${showBytes(bytes.replayedHex)}`;
  const word = decisive ? 'differs' : volatile === null ? 'drift  ' : 'volatile';
  const why = volatile === null ? '' : ` (${toLogText(volatile, 200)})`;
  return `  ${word} ${toLogText(place)}: ${toLogText(at, 400)}${why}`;
}

/** Text in quotes, where the bytes are some; what was cut within its last character is shown without it. */
function showBytes(hex: string): string {
  if (hex === '') return 'the end';
  const bytes = Buffer.from(hex, 'hex');
  const whole = [0, 1, 2, 3].find(
    (cut) => cut < bytes.length && isUtf8(bytes.subarray(0, bytes.length - cut)),
  );
  const text = whole === undefined ? '' : bytes.subarray(0, bytes.length - whole).toString('utf8');
  return text === '' || UNPRINTABLE.test(text) ? hex : `"${text}"`;
}
