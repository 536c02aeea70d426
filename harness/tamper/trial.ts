import { sha256Hex } from '../document/digest.ts';
import { type BaseBundle, envelopeOf, SUMS } from './base-bundle.ts';
import { bytesOf, type Change, fileOf } from './change.ts';
import { contentOf } from './change-content.ts';
import { type Chosen, requireMutation } from './choose.ts';
import { TamperError } from './errors.ts';
import type { Sign } from './forgery.ts';
import { freeField } from './free-fields.ts';
import type { Draft, Kind } from './kind.ts';
import { valueAt } from './places.ts';
import type { AcceptedChange, KindReport, Survivor, TamperDocument } from './tamper-document.ts';
import type { TamperRequest } from './tamper-request.ts';
import type { TrustedKey } from './trusted-key.ts';
import type { Judge } from './verifier-process.ts';

/** Questions under way at each verifier, so that none waits for its next one. */
const UNDER_WAY = 4;

export interface TrialParts {
  readonly bundle: BaseBundle;
  readonly plain: readonly Judge[];
  /** Null when only level a is tried. */
  readonly keyed: Judge | null;
  readonly key: TrustedKey;
}

/** Tries kind after kind and keeps what came of it. */
export class Trial {
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
