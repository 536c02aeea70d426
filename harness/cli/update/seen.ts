import type { Receipt } from '../../evidence/receipt.ts';
import { stepFolder } from '../../evidence/receipt.ts';
import { StoredBundle } from '../../replay/stored-bundle.ts';
import type { CompiledCase, CompiledCheck, Expectation } from '../../suite/compiled.ts';
import type { Termination } from '../../suite/observation.ts';

/** What a failed check asks for, as it was seen. */
export type Seen =
  | { readonly kind: 'bytes'; readonly expected: Buffer; readonly bytes: Buffer }
  | { readonly kind: 'termination'; readonly key: 'exited' | 'signaled'; readonly value: string }
  /** Nothing to offer, in words. */
  | { readonly kind: 'unknown'; readonly why: string };

/** More than a person reads through. */
const SHOWN_LIMIT_BYTES = 64 * 1024;

type Exact = Extract<Expectation, { readonly kind: 'stream-equals' | 'termination' }>;

/** The exact expectation of a check; null for any other. */
export function exactOf({ expect }: CompiledCheck): Exact | null {
  if (expect.kind === 'termination') return expect.caseId === null ? expect : null;
  return expect.kind === 'stream-equals' && expect.of.caseId === null ? expect : null;
}

/** Evidence of a run, as far as it tells what exact checks would have to say. */
export class SeenRun {
  readonly #bundle: StoredBundle;
  readonly #receipts: ReadonlyMap<string, Receipt>;

  private constructor(bundle: StoredBundle, receipts: ReadonlyMap<string, Receipt>) {
    this.#bundle = bundle;
    this.#receipts = receipts;
  }

  static async open(evidence: string): Promise<SeenRun> {
    const bundle = await StoredBundle.open(evidence);
    const paths = [...bundle.files.keys()].filter((path) => /^cases\/[^/]+\/receipt\.json$/.test(path));
    const receipts = new Map<string, Receipt>();
    for (const path of paths) {
      receipts.set(
        path.slice(0, -'/receipt.json'.length),
        JSON.parse((await bundle.read(path)).toString('utf8')),
      );
    }
    return new SeenRun(bundle, receipts);
  }

  /** Whether the check failed on any Node version. */
  failed(one: CompiledCase, check: CompiledCheck): boolean {
    return this.#of(one).some(([, { checks }]) =>
      checks.some(({ id, result }) => id === check.id && result === 'fail'),
    );
  }

  /** What every attempt on every Node version showed alike. */
  async seen(one: CompiledCase, expect: Exact): Promise<Seen> {
    const found = new Map<string, Seen>();
    for (const [folder, { attempts }] of this.#of(one)) {
      for (const attempt of attempts) {
        const name = expect.kind === 'termination' ? expect.step : expect.of.step;
        const index = attempt.steps.findIndex((step) => step.name === name);
        const step = attempt.steps[index];
        if (step === undefined) return { kind: 'unknown', why: 'the step did not run' };
        const path = `${folder}/${attempt.folder}${stepFolder(index, name)}`;
        const seen =
          expect.kind === 'termination'
            ? toTermination(step.termination)
            : await this.#bytes(step[expect.of.stream].truncated, `${path}/${expect.of.stream}`, expect);
        found.set(JSON.stringify(seen), seen);
      }
    }
    const [first, ...others] = [...found.values()];
    if (first === undefined) return { kind: 'unknown', why: 'the case did not run' };
    return others.length === 0 ? first : { kind: 'unknown', why: 'attempts or Node versions differ' };
  }

  #of(one: CompiledCase): readonly (readonly [string, Receipt])[] {
    return [...this.#receipts].filter(([, receipt]) => receipt.caseId === one.id);
  }

  async #bytes(
    truncated: boolean,
    path: string,
    { contentBase64 }: Extract<Exact, { readonly kind: 'stream-equals' }>,
  ): Promise<Seen> {
    if (truncated) return { kind: 'unknown', why: 'the output was cut off' };
    const bytes = this.#bundle.files.has(path) ? await this.#bundle.read(path) : Buffer.alloc(0);
    if (bytes.length > SHOWN_LIMIT_BYTES)
      return { kind: 'unknown', why: `more than ${SHOWN_LIMIT_BYTES} bytes` };
    if (!isText(bytes)) return { kind: 'unknown', why: 'the output is not UTF-8' };
    return { kind: 'bytes', expected: Buffer.from(contentBase64, 'base64'), bytes };
  }
}

function toTermination(end: Termination): Seen {
  if (end.kind === 'exited') return { kind: 'termination', key: 'exited', value: String(end.code) };
  if (end.kind === 'signaled') return { kind: 'termination', key: 'signaled', value: end.signal };
  return { kind: 'unknown', why: `the step ended as ${end.kind}` };
}

function isText(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
