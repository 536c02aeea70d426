import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditOpened } from '../audit/audit.ts';
import { DEFAULT_SUITE_FILE } from '../job/suite-sources.ts';
import { readLoneCandidate } from '../prepare/lone-candidate.ts';
import { openRecorded } from '../replay/open-recorded.ts';
import { requireAccepted } from '../replay/require-accepted.ts';
import { readSeenBin } from '../replay/seen-answers.ts';
import { toCandidateFacts } from '../suite/candidate-facts.ts';
import type { BinFact, CandidateFacts } from '../suite/facts.ts';
import type { SeenBin } from '../suite/language/seen-cases.ts';
import { toStarterSuite } from '../suite/language/starter.ts';
import { UsageError } from './errors.ts';
import { findEvidence } from './evidence-argument.ts';
import { EXIT } from './exit-code.ts';
import { openOwnFolders, toAbsolute } from './folders.ts';
import { writeNew } from './new-file.ts';
import { writeResult } from './output.ts';
import type { Session } from './session.ts';
import { readBack } from './signing.ts';

/** A manifest that is larger is none; npm itself reads it whole. */
const MANIFEST_LIMIT_BYTES = 16 * 1024 * 1024;

export interface InitFlags {
  readonly out?: string;
  /** Evidence of a check, whose recorded answers the cases are made of. */
  readonly from?: string;
}

/**
 * `packproof init`: writes a first suite for a packed candidate, for the package.json of the current folder, or from
 * what evidence recorded. Runs nothing and never overwrites.
 *
 * @throws {UsageError} CANDIDATE_UNREADABLE, CANDIDATE_HAS_NO_BIN, SUITE_EXISTS, ARGUMENT_EXTRA, EVIDENCE_MISSING
 * @throws {ReplayError} EVIDENCE_REJECTED, NOTHING_RAN
 */
export async function initCommand(
  candidate: string | undefined,
  flags: InitFlags,
  session: Session,
): Promise<number> {
  const { source, facts, seen } = await readOrigin(candidate, flags.from, session);
  const text = toStarterSuite(facts, seen);
  if (text === null) {
    throw new UsageError('CANDIDATE_HAS_NO_BIN', 'candidate', {
      where: source,
      expected: 'a package with a bin, whose cases can be started',
      actual: 'none',
    });
  }
  const file = toAbsolute(flags.out ?? DEFAULT_SUITE_FILE);
  await writeNew(file, text, 'SUITE_EXISTS');
  session.progress.say(
    'init',
    `${file}: complete it, then run packproof check ${toCheckWords(candidate, flags)}`,
  );
  const result = { formatVersion: 1, result: 'passed', exitCode: EXIT.passed, suite: file };
  await writeResult(session.json ? `${JSON.stringify(result)}\n` : `${file}\n`);
  return EXIT.passed;
}

/** What follows `packproof check` for the suite that was written. */
function toCheckWords(candidate: string | undefined, { out }: InitFlags): string {
  return `${candidate ?? 'CANDIDATE.tgz'}${out === undefined ? '' : ` --suite ${out}`}`;
}

interface Origin {
  /** For messages. */
  readonly source: string;
  readonly facts: CandidateFacts;
  readonly seen: ReadonlyMap<string, SeenBin>;
}

async function readOrigin(
  candidate: string | undefined,
  from: string | undefined,
  session: Session,
): Promise<Origin> {
  if (from === undefined) {
    const source = candidate ?? join(process.cwd(), 'package.json');
    return { source, facts: await readFacts(source, candidate !== undefined), seen: new Map() };
  }
  if (candidate !== undefined) {
    throw new UsageError('ARGUMENT_EXTRA', 'command line', {
      where: candidate,
      expected: 'no candidate with --from: the evidence has it',
      actual: 'one',
    });
  }
  const evidence = await findEvidence(from);
  const isAccepted = async (): Promise<boolean> => (await readBack(evidence, [], session.progress)).accepted;
  await requireAccepted('EVIDENCE_REJECTED', isAccepted, from);
  const { bundle, run } = await openRecorded(evidence);
  const facts = readArchive(from, await readFile(bundle.path('inputs/candidate.tgz')));
  const seen = new Map<string, SeenBin>();
  for (const { name } of facts.bins) seen.set(name, await readSeenBin(bundle, run, name));
  return { source: from, facts, seen };
}

async function readFacts(source: string, isArchive: boolean): Promise<CandidateFacts> {
  if (isArchive) {
    const cacheFolder = async (): Promise<string> => (await openOwnFolders(process.env)).cache;
    return readArchive(source, (await readLoneCandidate(source, process.cwd(), cacheFolder)).bytes);
  }
  const bytes = await readFile(source).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(source, cause.code ?? '', cause);
  });
  if (bytes.length > MANIFEST_LIMIT_BYTES) throw unreadable(source, `${bytes.length} bytes`);
  try {
    const manifest: unknown = JSON.parse(bytes.toString('utf8'));
    return toCandidateFacts(manifest, { bins: listBins(manifest), files: [] });
  } catch (cause) {
    throw unreadable(source, 'no JSON', cause);
  }
}

function readArchive(source: string, bytes: Buffer): CandidateFacts {
  const { report } = auditOpened(bytes);
  const { manifest } = report;
  if (manifest === null) throw unreadable(source, 'no package.json that can be read');
  const { name, version, dependencies } = manifest;
  const fields = {
    name,
    version,
    dependencies: Object.fromEntries(dependencies.map((one) => [one.name, one.spec])),
  };
  return toCandidateFacts(fields, { bins: manifest.bins, files: [] });
}

/** As npm names them: a `bin` that is one text is called like the package, its scope left out. */
function listBins(manifest: unknown): readonly BinFact[] {
  if (typeof manifest !== 'object' || manifest === null || !('bin' in manifest)) return [];
  const { bin } = manifest;
  const name = 'name' in manifest && typeof manifest.name === 'string' ? manifest.name : '';
  if (typeof bin === 'string') return [{ name: name.slice(name.indexOf('/') + 1), path: bin }];
  if (typeof bin !== 'object' || bin === null) return [];
  return Object.entries(bin).flatMap(([one, path]: [string, unknown]) =>
    typeof path === 'string' ? [{ name: one, path }] : [],
  );
}

function unreadable(where: string, actual: string, cause?: unknown): UsageError {
  return new UsageError('CANDIDATE_UNREADABLE', 'candidate', {
    where,
    expected: 'a packed archive, or a folder with a package.json to run in',
    actual,
    cause,
  });
}
