import { sha256Hex } from '../document/digest.ts';
import { BaseBundle, envelopeOf, SUMS } from './base-bundle.ts';
import { bytesOf, type Change, fileOf } from './change.ts';
import { contentOf } from './change-content.ts';
import { TamperError } from './errors.ts';
import type { Sign } from './forgery.ts';
import { freeField } from './free-fields.ts';
import type { Draft, Kind, Level } from './kind.ts';
import { TAMPER_KINDS } from './kinds.ts';
import { valueAt } from './places.ts';
import { shuffled } from './random.ts';
import type { AcceptedChange, Extent, KindReport, Survivor, TamperDocument } from './tamper-document.ts';
import { type Chosen, choose, requireMutation } from './trial.ts';
import { openTrustedKey, type TrustedKey } from './trusted-key.ts';
import { type Judge, VerifierProcess } from './verifier-process.ts';

export interface TamperRequest {
  /** Absolute path of evidence that the verifier accepts. It is never written to. */
  readonly evidence: string;
  /** Absolute path of the verifier's program. */
  readonly verifier: string;
  /** Public key that signed the evidence, SPKI PEM; null: levels b and c use one made for this. */
  readonly key: string | null;
  readonly levels: readonly Level[];
  /** Ids of kinds; none: all. */
  readonly only: readonly string[];
  readonly seed: string;
  readonly extent: Extent;
  /** Once it is over, kinds that are left are left out, and then they are tried in an order of the seed. Null: no end. */
  readonly budgetMs: number | null;
  /** Leaves out what is left as well. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Verifiers that run beside each other, and questions under way at each: enough to keep two cores busy. */
const PROCESSES = 2;
const UNDER_WAY = 4;

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

interface TrialParts {
  readonly bundle: BaseBundle;
  readonly plain: readonly Judge[];
  /** Null when only level a is tried. */
  readonly keyed: Judge | null;
  readonly key: TrustedKey;
}

/** Tries kind after kind and keeps what came of it. */
class Trial {
  readonly #parts: TrialParts;
  readonly #kinds: KindReport[] = [];
  readonly #accepted: AcceptedChange[] = [];
  readonly #survivors = new Map<string, Survivor>();
  readonly #stopped: boolean;
  #survivorsWithKey = 0;

  constructor(parts: TrialParts) {
    this.#parts = parts;
    this.#stopped = valueAt(parts.bundle.document('report.json'), 'blocked') !== null;
  }

  async run({ kind, drafts, opportunities }: Chosen): Promise<void> {
    const tally = { rejected: 0, survivors: 0, accepted: 0 };
    const judges = kind.level === 'c' ? [this.#keyed()] : this.#parts.plain;
    const queue = [...drafts].reverse();
    const work = async (judge: Judge): Promise<void> => {
      for (let draft = queue.pop(); draft !== undefined; draft = queue.pop()) {
        tally[await this.#try(kind, draft, judge)] += 1;
      }
    };
    await Promise.all(judges.flatMap((judge) => Array.from({ length: UNDER_WAY }, () => work(judge))));
    const state = drafts.length === 0 ? 'not-exercised' : 'exercised';
    const { id, level, what } = kind;
    this.#kinds.push({ kind: id, level, what, state, opportunities, mutations: drafts.length, ...tally });
  }

  leaveOut({ id, level, what }: Kind): void {
    const none = { opportunities: 0, mutations: 0, rejected: 0, survivors: 0, accepted: 0 };
    this.#kinds.push({ kind: id, level, what, state: 'not-reached', ...none });
  }

  async #try(kind: Kind, draft: Draft, judge: Judge): Promise<'rejected' | 'survivors' | 'accepted'> {
    const { document, field, place } = draft;
    const changes = draft.changes();
    if (kind.level === 'c') this.#requireForged(kind, place, changes);
    else requireMutation(this.#parts.bundle, { kind: kind.id, place, changes });
    if (!(await judge.accepts(changes))) return 'rejected';
    const free = kind.level === 'b' ? freeField(draft, this.#stopped) : null;
    const at = { kind: kind.id, level: kind.level, place, document, field };
    if (free === null) {
      this.#accepted.push({ ...at, judgedWith: kind.level === 'c' ? 'key' : 'no-key' });
      return 'accepted';
    }
    if (await this.#survivesKey(changes)) {
      this.#survivorsWithKey += 1;
      this.#accepted.push({ ...at, judgedWith: 'key' });
      return 'accepted';
    }
    this.#survive(kind.id, { document, field, why: free.why });
    return 'survivors';
  }

  #keyed(): Judge {
    const { keyed } = this.#parts;
    if (keyed !== null) return keyed;
    throw new TamperError('VERIFIER_FAILED', 'verifier', {
      where: '--key',
      expected: 'one with a key',
      actual: 'none',
    });
  }

  #requireForged(kind: Kind, place: string, changes: readonly Change[]): void {
    const { bundle, key } = this.#parts;
    const asItIs = JSON.stringify(key.signing);
    if (JSON.stringify(changes) !== asItIs) return;
    requireMutation(bundle, { kind: kind.id, place, changes: [] });
  }

  /** With the envelope as it was, without one, and signed by another key: none may pass. */
  async #survivesKey(changes: readonly Change[]): Promise<boolean> {
    const { bundle, key } = this.#parts;
    const keyed = this.#keyed();
    const forms = [
      changes,
      withEnvelopes(bundle, changes, (_, path) => key.keys.envelopes.get(path) ?? null),
      withEnvelopes(bundle, changes, key.keys.stranger.sign),
    ];
    const answers = await Promise.all(forms.map((form) => keyed.accepts(form)));
    return answers.includes(true);
  }

  #survive(
    kind: string,
    at: { readonly document: string; readonly field: string; readonly why: string },
  ): void {
    const name = `${at.document} ${at.field}`;
    const known = this.#survivors.get(name) ?? { ...at, kinds: [], mutations: 0 };
    const kinds = known.kinds.includes(kind) ? known.kinds : [...known.kinds, kind];
    this.#survivors.set(name, { ...known, kinds, mutations: known.mutations + 1 });
  }

  /** @throws {TamperError} NOTHING_TRIED: a comparison that covered nothing shows nothing */
  toDocument(about: {
    readonly request: TamperRequest;
    readonly given: readonly string[];
    readonly durationMs: number;
  }): TamperDocument {
    const { request, given, durationMs } = about;
    const { bundle, key } = this.#parts;
    const mutations = this.#kinds.reduce((sum, kind) => sum + kind.mutations, 0);
    if (mutations === 0) {
      const details = { where: 'this bundle', expected: 'at least one change', actual: 'no opportunity' };
      throw new TamperError('NOTHING_TRIED', 'tamper', details);
    }
    const held = this.#accepted.length === 0;
    return {
      formatVersion: 1,
      result: held ? 'held' : 'broken',
      exitCode: held ? 0 : 4,
      evidence: request.evidence,
      runId: bundle.index.runId,
      bundleSha256: bundle.sha256,
      seed: request.seed,
      extent: request.extent,
      levels: request.levels,
      key: request.levels.some((level) => level !== 'a') ? { keyId: key.keyId, origin: key.origin } : null,
      given,
      mutations,
      rejected: this.#kinds.reduce((sum, kind) => sum + kind.rejected, 0),
      kinds: this.#kinds,
      accepted: this.#accepted,
      survivors: [...this.#survivors.values()].sort((one, other) =>
        `${one.document} ${one.field}` < `${other.document} ${other.field}` ? -1 : 1,
      ),
      survivorsWithKey: this.#survivorsWithKey,
      durationMs,
    };
  }
}

/** A forged bundle with envelopes over its forged statements, in the sums as well. */
function withEnvelopes(bundle: BaseBundle, changes: readonly Change[], sign: Sign): readonly Change[] {
  const newBytes = (path: string): Buffer => {
    const change = changes.find((one) => one.path === path);
    return change === undefined ? bundle.read(path) : contentOf(bundle, change);
  };
  const envelopes = new Map(
    bundle.statements.flatMap((path) => {
      const envelope = sign(newBytes(path), path);
      return envelope === null ? [] : [[envelopeOf(path), envelope] as const];
    }),
  );
  const lines = newBytes(SUMS).toString('utf8').split('\n').slice(0, -1);
  const more = [...envelopes].map(([path, envelope]) => `${sha256Hex(envelope)}  ${path}`);
  const sums = [...lines, ...more].sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1));
  return [
    ...changes.filter(({ path }) => !envelopes.has(path) && path !== SUMS),
    fileOf(SUMS, bytesOf(`${sums.join('\n')}\n`)),
    ...[...envelopes].map(([path, envelope]) => fileOf(path, bytesOf(envelope))),
  ];
}
