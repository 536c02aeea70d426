import { sha256Hex } from '../../document/digest.ts';
import type { SnapshotEntry, StreamName } from '../../engine/engine.ts';
import type { CompiledCase, CompiledCheck, CompiledStep, Expectation } from '../compiled.ts';
import { BASE_ENV, FOREIGN_CWD } from '../layout.ts';
import type {
  CaseObservation,
  StepAction,
  StepObservation,
  StreamBytes,
  StreamObservation,
  Termination,
} from '../observation.ts';
import { USUAL_CASE } from '../usual-case.ts';

/** Builders of observations and cases for tests; everything not said is the uneventful value. */

export interface StepParts {
  readonly name?: string;
  readonly termination?: Termination;
  readonly stdout?: string | Buffer;
  readonly stderr?: string | Buffer;
  readonly durationMs?: number;
  readonly lastByteAtMs?: number;
  readonly actions?: readonly StepAction[];
  readonly oomKilled?: boolean;
  /** Bytes that arrived beyond those kept, of stdout. */
  readonly lostBytes?: number;
  readonly eofSeen?: boolean;
}

export interface CaseParts {
  readonly caseId?: string;
  readonly steps: readonly StepParts[];
  readonly files?: readonly (readonly [path: string, content: string])[];
  readonly filesBefore?: readonly (readonly [path: string, content: string])[];
  readonly after?: 'none' | 'truncated';
  readonly leftovers?: readonly string[];
  readonly oomKills?: number | null;
  readonly oomKilled?: boolean;
}

/** An observation with the bytes that belong to it. */
export interface Observed {
  readonly observation: CaseObservation;
  readonly bytes: ReadonlyMap<string, Buffer>;
}

export function observe(parts: CaseParts): Observed {
  const caseId = parts.caseId ?? 'case';
  const bytes = new Map<string, Buffer>();
  const steps = parts.steps.map((step) => observeStep(caseId, step, bytes));
  const truncated = parts.after === 'truncated' ? ['entries'] : [];
  const observation: CaseObservation = {
    caseId,
    attempt: 1,
    node: '20.20.2',
    boxId: 'box',
    steps,
    leftovers: (parts.leftovers ?? []).map((name) => ({ pid: 7, parentPid: 1, argv: [name], state: 'S' })),
    before: { way: 'host', entries: (parts.filesBefore ?? []).map(toEntry), truncated: [] },
    controls: [],
    after:
      parts.after === 'none'
        ? null
        : {
            way: 'host',
            entries: [...(parts.filesBefore ?? []), ...(parts.files ?? [])].map(toEntry),
            truncated,
          },
    outside: { inspect: {}, status: null, mounts: null, namespaces: null, limits: null },
    end: { oomKilled: parts.oomKilled ?? false, oomKills: parts.oomKills ?? null, inspect: {} },
    teardown: [],
  };
  return { observation, bytes };
}

function observeStep(caseId: string, parts: StepParts, bytes: Map<string, Buffer>): StepObservation {
  const name = parts.name ?? 'step';
  const durationMs = parts.durationMs ?? 100;
  const stream = (which: StreamName, content: string | Buffer, lostBytes: number): StreamObservation => {
    const kept = Buffer.from(content);
    bytes.set(`${caseId}/${name}/${which}`, kept);
    const all = Buffer.concat([kept, Buffer.alloc(lostBytes, 'x')]);
    return {
      totalBytes: all.length,
      keptBytes: kept.length,
      totalSha256: sha256Hex(all),
      keptSha256: sha256Hex(kept),
      truncated: lostBytes > 0,
      eofSeen: parts.eofSeen ?? true,
      lastByteAtMs: kept.length === 0 ? null : (parts.lastByteAtMs ?? durationMs),
    };
  };
  return {
    name,
    argv: ['program'],
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs,
    termination: parts.termination ?? { kind: 'exited', code: 0 },
    killedBy: null,
    oomKilled: parts.oomKilled ?? false,
    stdout: stream('stdout', parts.stdout ?? '', parts.lostBytes ?? 0),
    stderr: stream('stderr', parts.stderr ?? '', 0),
    arrivals: [],
    actions: parts.actions ?? [],
  };
}

function toEntry([path, content]: readonly [string, string]): SnapshotEntry {
  return {
    path,
    kind: 'file',
    mode: '0644',
    uid: 1000,
    gid: 1000,
    mtimeMs: 0,
    sizeBytes: Buffer.byteLength(content),
    sha256: sha256Hex(Buffer.from(content)),
    target: null,
  };
}

export function bytesOf(...observed: readonly Observed[]): StreamBytes {
  return (caseId, step, stream) => {
    for (const one of observed) {
      const found = one.bytes.get(`${caseId}/${step}/${stream}`);
      if (found !== undefined) return found;
    }
    return null;
  };
}

export function compiledCase(
  checks: readonly CompiledCheck[],
  steps: readonly string[] = ['step'],
): CompiledCase {
  return {
    id: 'case',
    why: 'a case for a test',
    tags: [],
    ...USUAL_CASE,
    node: 'first',
    settleMs: 0,
    steps: steps.map(compiledStep),
    checks,
  };
}

function compiledStep(name: string): CompiledStep {
  return {
    name,
    argv: ['/bin/true'],
    env: BASE_ENV,
    cwd: FOREIGN_CWD,
    stdin: { kind: 'closed' },
    stdout: 'pipe',
    signals: [],
    timeoutMs: 1_000,
  };
}

export function compiledCheck(
  expect: Expectation,
  parts: Partial<Pick<CompiledCheck, 'id' | 'severity' | 'precondition'>> = {},
): CompiledCheck {
  return {
    id: parts.id ?? 'check',
    severity: parts.severity ?? 'gate',
    why: 'a check for a test',
    advice: 'none',
    precondition: parts.precondition ?? null,
    expect,
  };
}
