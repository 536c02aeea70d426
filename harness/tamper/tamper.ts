import { BaseBundle } from './base-bundle.ts';
import { choose } from './choose.ts';
import { TamperError } from './errors.ts';
import type { Kind } from './kind.ts';
import { TAMPER_KINDS } from './kinds.ts';
import { valueAt } from './places.ts';
import { shuffled } from './random.ts';
import type { TamperDocument } from './tamper-document.ts';
import type { TamperRequest } from './tamper-request.ts';
import { Trial } from './trial.ts';
import { openTrustedKey, type TrustedKey } from './trusted-key.ts';
import { type Judge, VerifierProcess } from './verifier-process.ts';

/** Verifiers that run beside each other: enough to keep two cores busy. */
const PROCESSES = 2;

/**
 * Tampers with evidence in every known way and asks the separate verifier about each change, without writing
 * to the evidence.
 *
 * Levels a and c must be rejected as a whole. Of level b everything must be that anything kept in the bundle,
 * or given from outside, contradicts; a change of a field of the closed list of free ones survives, and must
 * not once a key is given.
 * @throws {TamperError} when it could not be tried: EVIDENCE_REJECTED, KIND_UNKNOWN, NOTHING_TRIED,
 * NOTHING_MUTATED, VERIFIER_FAILED and those of reading
 */
export async function tamperEvidence(request: TamperRequest): Promise<TamperDocument> {
  const startedAt = performance.now();
  const kinds = kindsOf(request);
  const bundle = BaseBundle.open(request.evidence);
  const given = givenFromOutside(bundle);
  const key = await openTrustedKey(bundle, request.key);
  const judges: Judge[] = [];
  const open = (...more: readonly string[]): Judge => {
    const judge = new VerifierProcess(request.verifier, [...given.args, ...more, '--', request.evidence]);
    judges.push(judge);
    return judge;
  };
  try {
    const needsKey = kinds.some(({ level }) => level !== 'a');
    const needsPlain = kinds.some(({ level }) => level !== 'c');
    const plain = Array.from({ length: needsPlain ? PROCESSES : 0 }, () => open());
    const demands = key.keys.shards.size > 0 ? ['--require=shards-signed'] : [];
    const keyed = needsKey ? open(`--key=${key.file}`, ...demands) : null;
    await requireAccepted(plain, keyed, key);
    const trial = new Trial({ bundle, plain, keyed, key });
    const endsAt = performance.now() + (request.budgetMs ?? Number.POSITIVE_INFINITY);
    const inOrder =
      request.budgetMs === null ? kinds : byTurns(shuffled(kinds, request.seed, ({ id }) => id));
    for (const kind of inOrder) {
      if (request.signal.aborted || performance.now() > endsAt) {
        trial.leaveOut(kind);
        continue;
      }
      const chosen = choose(kind, { bundle, keys: key.keys, seed: request.seed, extent: request.extent });
      await trial.run(chosen);
      request.say(`${kind.level} ${kind.id}: ${chosen.drafts.length} of ${chosen.opportunities}`);
    }
    const durationMs = Math.round(performance.now() - startedAt);
    return trial.toDocument({ request, given: given.names, durationMs });
  } finally {
    await Promise.all(judges.map((judge) => judge.close()));
    await key.close();
  }
}

/** One of each level after another, so that a short time reaches every level. */
function byTurns(kinds: readonly Kind[]): readonly Kind[] {
  const turns = kinds.map((kind, index) => {
    const before = kinds.slice(0, index).filter(({ level }) => level === kind.level).length;
    return { kind, before };
  });
  return turns.sort((left, right) => left.before - right.before).map(({ kind }) => kind);
}

function kindsOf({ levels, only }: TamperRequest): readonly Kind[] {
  const unknown = only.find((id) => !TAMPER_KINDS.some((kind) => kind.id === id));
  if (unknown !== undefined) {
    const expected = `one of the ${TAMPER_KINDS.length} kinds that docs/tampering.md lists`;
    throw new TamperError('KIND_UNKNOWN', 'kind', { where: '--only', expected, actual: unknown });
  }
  return TAMPER_KINDS.filter(
    ({ id, level }) => levels.includes(level) && (only.length === 0 || only.includes(id)),
  );
}

/** What a careful caller knows of the run beside its evidence, and gives to the verifier. */
function givenFromOutside(bundle: BaseBundle): {
  readonly names: readonly string[];
  readonly args: readonly string[];
} {
  const report = bundle.document('report.json');
  const { nonce, files } = bundle.index;
  // Shards have the same suites.
  const suites = files.filter(({ path }) => /^(?:shards\/1\/)?inputs\/suites\/.*suite\.json$/.test(path));
  const startedAt = Date.parse(String(valueAt(report, 'startedAt')));
  // The moment at which the run was asked for: not later than its start.
  const askedAt = Number.isNaN(startedAt) ? [] : [new Date(startedAt - 1000).toISOString()];
  return {
    names: [
      'candidate',
      ...(suites.length > 0 ? ['suite'] : []),
      ...(nonce === null ? [] : ['nonce']),
      ...(askedAt.length > 0 ? ['finished-after'] : []),
    ],
    args: [
      `--candidate=${String(valueAt(report, 'candidate', 'sha512'))}`,
      ...suites.map(({ sha256 }) => `--suite=${sha256}`),
      ...(nonce === null ? [] : [`--nonce=${nonce}`]),
      ...askedAt.map((time) => `--finished-after=${time}`),
    ],
  };
}

/** Only what is accepted as it is can show that a change of it is not. */
async function requireAccepted(plain: readonly Judge[], keyed: Judge | null, key: TrustedKey): Promise<void> {
  const answers = await Promise.all([
    ...plain.map((judge) => judge.judge([])),
    ...(keyed === null ? [] : [keyed.judge(key.signing)]),
  ]);
  const rejected = answers.find(({ accepted }) => !accepted);
  if (rejected === undefined) return;
  const details = { where: 'the bundle as it is', expected: 'accepted', actual: rejected.codes.join(' ') };
  throw new TamperError('EVIDENCE_REJECTED', 'evidence', details);
}
