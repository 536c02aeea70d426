import type { Bundle } from '../bundle.ts';
import type { SeenCase } from '../evaluate/scene.ts';
import {
  type Attempt,
  type ControlLine,
  controlLine,
  type FilesLine,
  filesLine,
  type LookLine,
  type ProgramLine,
  type StepRecord,
  type StreamRecord,
  type TranscriptLine,
  transcriptLine,
} from '../shape/receipt.ts';
import type { StreamName } from '../shape/suite.ts';
import { toSeenCase } from './seen-case.ts';

/** Kept bytes of one stream are at most this; a larger one is no stream of the format. */
const STREAM_BYTES = 16 * 1024 * 1024;

/** One attempt with its files, all of which could be read. */
export interface StoredAttempt {
  readonly attempt: Attempt;
  /** The attempt's folder in the bundle, with a slash at its end. */
  readonly base: string;
  readonly files: readonly FilesLine[];
  readonly transcript: readonly TranscriptLine[];
  /** What is told of controls and references; nothing where the attempt tells of none. */
  readonly controlLines: readonly ControlLine[];
  /** Those of them that are entries of the writable places, and those that are files of a command. */
  readonly lookLines: readonly LookLine[];
  readonly programLines: readonly ProgramLine[];
  readonly seen: SeenCase;
}

/** Reads the files of one attempt; null, with findings, when some cannot be read. */
export function readAttempt(
  bundle: Bundle,
  { place, references }: { readonly place: string; readonly references: readonly string[] },
  attempt: Attempt,
): StoredAttempt | null {
  const base = `${place}/${attempt.folder}`;
  const files = bundle.lines(`${base}files.ndjson`, filesLine);
  const transcript = bundle.lines(`${base}transcript.ndjson`, transcriptLine);
  const controlLines = attempt.teardown.some(({ action }) => action === 'lay')
    ? bundle.lines(`${base}controls.ndjson`, controlLine)
    : [];
  const paths = streamPaths(base, attempt.steps);
  checkStreams(bundle, paths);
  if (files === null || transcript === null || controlLines === null) return null;
  const bytes: SeenCase['bytes'] = (step, stream) => {
    const found = paths.find(({ record, name }) => record.name === step && name === stream);
    if (found === undefined || bundle.list.files.get(found.path)?.sha256 !== found.stream.keptSha256)
      return null;
    return bundle.bytes(found.path, STREAM_BYTES);
  };
  const fileBytes = readKept(bundle, base, files);
  const lookLines = controlLines.flatMap((line) => (line.when === 'program' ? [] : [line]));
  const programLines = controlLines.flatMap((line) => (line.when === 'program' ? [line] : []));
  const seen = toSeenCase({ attempt, references, files, transcript, lookLines, bytes, fileBytes });
  return { attempt, base, files, transcript, controlLines, lookLines, programLines, seen };
}

/**
 * Bytes of files that were left lie under their digest, where the listing has a file with it; any other such
 * file stays unknown to the bundle, and one whose bytes have another digest is no file of that listing.
 */
function readKept(bundle: Bundle, base: string, files: readonly FilesLine[]): SeenCase['fileBytes'] {
  for (const { when, sha256 } of files) {
    const path = `${base}files/${sha256}`;
    if (when !== 'after' || sha256 === null || !bundle.has(path)) continue;
    bundle.know(path);
    bundle.findings.same('FILES_ENTRY', path, sha256, bundle.list.files.get(path)?.sha256 ?? '');
  }
  return (sha256) => {
    const path = `${base}files/${sha256}`;
    return bundle.list.files.get(path)?.sha256 === sha256 ? bundle.bytes(path, STREAM_BYTES) : null;
  };
}

interface StreamPath {
  readonly path: string;
  readonly record: StepRecord;
  readonly name: StreamName;
  readonly stream: StreamRecord;
}

function streamPaths(base: string, steps: readonly StepRecord[]): readonly StreamPath[] {
  return steps.flatMap((record, index) =>
    (['stdout', 'stderr'] as const).map((name) => ({
      path: `${base}steps/${index + 1}-${record.name}/${name}`,
      record,
      name,
      stream: record[name],
    })),
  );
}

/** The stored bytes of a stream are those that its record speaks of. */
function checkStreams(bundle: Bundle, paths: readonly StreamPath[]): void {
  for (const { path, stream } of paths) {
    bundle.know(path);
    const listed = bundle.list.files.get(path);
    if (listed === undefined) bundle.findings.add('RECEIPT_STREAM', path, 'the stored stream', 'none');
    else if (listed.sha256 !== stream.keptSha256 || listed.sizeBytes !== stream.keptBytes) {
      bundle.findings.add(
        'RECEIPT_STREAM',
        path,
        `${stream.keptBytes} bytes, ${stream.keptSha256}`,
        `${listed.sizeBytes} bytes, ${listed.sha256}`,
      );
    }
  }
}
