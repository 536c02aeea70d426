import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleViews } from '../../boundary/testing/sample-views.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { Snapshot, SnapshotEntry } from '../../engine/engine.ts';
import type { CaseRun } from '../../run/result.ts';
import type { CompiledCase, CompiledCheck, CompiledControl, Expectation } from '../../suite/compiled.ts';
import type { ControlObservation, TeardownEvent } from '../../suite/observation.ts';
import { USUAL_CASE } from '../../suite/usual-case.ts';
import { installedCli } from './sample-image.ts';
import { ARGV, BOUNDARY, NODE, observedStep, sampleStep } from './sample-parts.ts';

/** The case of the sample that has controls, claims of its own, and a file of which the bytes are kept. */
export const GUARDED = 'guarded';

const INPUT = '/work/input';
const MARKER = '/work/marker';
const NOTE = '/work/note';
const GIVEN = Buffer.from('yes\n');
const LEFT = [
  { path: NOTE, content: Buffer.from('noted\n') },
  { path: '/work/other', content: Buffer.from('other\n') },
];
const STEPS = ['works', 'off', 'again', 'main'].map((name) => sampleStep(name, [...ARGV, INPUT]));
const CHANGED_AT_MS = Date.parse('2026-01-02T03:04:04.000Z');

function fileOf(path: string, content: Buffer): Extract<CompiledCase['files'][number], { kind: 'file' }> {
  return { kind: 'file', path, mode: '0644', contentBase64: content.toString('base64') };
}

const CONTROLS: readonly CompiledControl[] = [
  { step: 'works', phase: 'positive', files: [], remove: [MARKER], restore: [] },
  {
    step: 'off',
    phase: 'negative',
    files: [fileOf(INPUT, Buffer.alloc(0))],
    remove: [],
    restore: [INPUT],
  },
  { step: 'again', phase: 'restored', files: [], remove: [MARKER], restore: [] },
];

function check(id: string, expect: Expectation): CompiledCheck {
  return { id, severity: 'gate', why: 'a sample', advice: 'none', precondition: null, expect };
}

const CHECKS: readonly CompiledCheck[] = [
  check('works.marker', { kind: 'path-changed', path: MARKER, change: 'created', control: 'works' }),
  check('off.marker', { kind: 'path-absent', path: MARKER, control: 'off' }),
  check('again.marker', { kind: 'path-changed', path: MARKER, change: 'created', control: 'again' }),
  ...CONTROLS.map(({ step }) => check(`${step}.undone`, { kind: 'control-undone', control: step })),
  check('marker', { kind: 'path-absent', path: MARKER, control: null }),
  check('secret', { kind: 'no-canaries', texts: ['tok-5d1e'] }),
];

export function guardedCase(): CompiledCase {
  return {
    ...USUAL_CASE,
    id: GUARDED,
    why: 'a sample of controls',
    tags: [],
    proves: ['that it leaves no marker'],
    doesNotProve: ['that it leaves nothing else'],
    settleMs: 0,
    files: [fileOf(INPUT, GIVEN)],
    controls: CONTROLS,
    steps: STEPS,
    checks: CHECKS,
  };
}

function entry(path: string, content: Buffer): SnapshotEntry {
  return {
    path,
    kind: 'file',
    mode: '0644',
    uid: 1000,
    gid: 1000,
    mtimeMs: CHANGED_AT_MS,
    sizeBytes: content.length,
    sha256: sha256Hex(content),
    target: null,
  };
}

function look(...entries: readonly SnapshotEntry[]): Snapshot {
  return { way: 'host', entries, truncated: [] };
}

const BEFORE = look(entry(INPUT, GIVEN));

function aroundControl({ step, files }: CompiledControl): ControlObservation {
  const given = files.length === 0 ? GIVEN : Buffer.alloc(0);
  const laid = entry(INPUT, given);
  const { sizeBytes, sha256, mode, path } = laid;
  return {
    step,
    laid: look(laid),
    program: [
      { word: 0, file: installedCli() },
      { word: 1, file: { path, mode, sizeBytes, sha256 } },
    ],
    ran: files.length === 0 ? look(laid, entry(MARKER, Buffer.alloc(0))) : look(laid),
    undone: BEFORE,
  };
}

function teardown(controls: readonly ControlObservation[]): readonly TeardownEvent[] {
  const count = (snapshot: Snapshot | null): string => `${snapshot?.entries.length ?? 0} entries`;
  const plain = (name: string): readonly (readonly [TeardownEvent['action'], string])[] => [
    ['freeze', name],
    ['list', `${name}: 0 alive`],
    ['kill-all', `${name}: 0 reaped`],
    ['drain', `${name}: ended`],
  ];
  const events = [
    ...controls.flatMap(({ step, laid, ran, undone }) => [
      ['lay', step] as const,
      ['snapshot', `${step} laid: ${count(laid)}`] as const,
      ...plain(step),
      ['snapshot', `${step} ran: ${count(ran)}`] as const,
      ['undo', step] as const,
      ['snapshot', `${step} undone: ${count(undone)}`] as const,
    ]),
    ...plain('main'),
    ['snapshot', '3 entries'] as const,
    ['close', ''] as const,
  ];
  return events.map(([action, detail], index) => ({ action, atMs: index, detail }));
}

/** A finished run of the case: every step printed its name, the last one left files, of which the bytes were kept. */
export async function guardedRun(spool: string): Promise<CaseRun> {
  const folder = join(spool, GUARDED);
  await mkdir(folder, { recursive: true });
  const steps = STEPS.map((step, index) => {
    const output = Buffer.from(`${step.name}\n`);
    const startedAt = new Date(Date.parse('2026-01-02T03:04:05.000Z') + index * 30).toISOString();
    return { step, output, index, stdout: join(folder, step.name), startedAt };
  });
  for (const { stdout, output } of steps) await writeFile(stdout, output);
  const kept = LEFT.map(({ content }) => {
    const sha256 = sha256Hex(content);
    return { sha256, file: join(folder, sha256), content };
  });
  for (const { file, content } of kept) await writeFile(file, content);
  const controls = CONTROLS.map(aroundControl);
  const checks = CHECKS.map(({ id, severity }) => ({ id, severity, result: 'pass' as const, message: '' }));
  const judged = { checks, outcome: 'pass', reason: null, detail: '' } as const;
  const attempt = {
    ...judged,
    attempt: 1,
    observation: {
      caseId: GUARDED,
      attempt: 1,
      node: NODE,
      boxId: `box-${GUARDED}`,
      steps: steps.map(({ step, output, startedAt }) => observedStep(step, output, startedAt)),
      leftovers: [],
      before: BEFORE,
      controls,
      after: look(...BEFORE.entries, ...LEFT.map(({ path, content }) => entry(path, content))),
      outside: sampleViews(BOUNDARY).engine,
      end: { oomKilled: false, oomKills: 0, inspect: {} },
      teardown: teardown(controls),
    },
    spooled: steps.map(({ index, step, stdout }) => ({ index, name: step.name, stdout, stderr: null })),
    kept: kept.map(({ sha256, file }) => ({ sha256, file })),
  };
  return { ...judged, suiteId: 'smoke', caseId: GUARDED, node: NODE, attempts: [attempt], durationMs: 110 };
}
