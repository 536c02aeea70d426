import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import type { BoundaryKind } from '../boundary/kind.ts';
import { sampleViews } from '../boundary/testing/sample-views.ts';
import { RunError } from './errors.ts';
import { judgeKind, toOutsideJudge } from './judge-boundary.ts';
import { OutsideViews } from './outside-views.ts';

const boundary = (kind: BoundaryKind): ReturnType<typeof defaultBoundary> =>
  defaultBoundary('linux/amd64', kind);
const KIND = { node: '20.20.2', exec: false, limits: [] };
const { engine, measured } = sampleViews(boundary(KIND));
const WRITABLE = { ...engine, inspect: { ...engine.inspect, rootReadOnly: false } };
const REPORTS = [{ node: '20.20.2', exec: false, limits: [], measured, outside: engine, durationMs: 1 }];

const found = (code: string, where: string) => (error: unknown) =>
  error instanceof RunError && error.code === code && error.where === where;

test('a kind of box passes when its three views agree, and is refused by field when one does not', () => {
  judgeKind(boundary(KIND), { engine, measured }, 'probe-0');
  assert.throws(
    () => judgeKind(boundary(KIND), { engine: WRITABLE, measured }, 'probe-0'),
    found('BOUNDARY_MISMATCH', 'boundary.rootReadOnly'),
  );
});

test('every further box is held against the boundary of its own kind', () => {
  const judge = toOutsideJudge(boundary, REPORTS);
  judge(KIND, engine, 'case-1-1');
  assert.throws(() => judge(KIND, WRITABLE, 'case-1-1'), found('BOUNDARY_MISMATCH', 'boundary.rootReadOnly'));
});

test('a box of a kind that was not measured is refused, however it looks', () => {
  const judge = toOutsideJudge(boundary, REPORTS);
  assert.throws(() => judge({ ...KIND, exec: true }, engine, 'case-2-1'), found('PROBE_FAILED', 'case-2-1'));
  assert.throws(
    () => judge({ ...KIND, node: '22.0.0' }, engine, 'case-3-1'),
    found('PROBE_FAILED', 'case-3-1'),
  );
  assert.throws(
    () => judge({ ...KIND, limits: [{ name: 'pids', value: 40 }] }, engine, 'case-4-1'),
    found('PROBE_FAILED', 'case-4-1'),
  );
});

test('equal views are judged once for each kind and kept once', () => {
  const judged: string[] = [];
  const views = new OutsideViews((kind) => judged.push(`${kind.node} ${kind.exec}`));
  const first = views.accept(KIND, engine, 'a');
  assert.equal(views.accept(KIND, structuredClone(engine), 'b'), first);
  views.accept({ ...KIND, exec: true }, engine, 'c');
  views.accept(KIND, WRITABLE, 'd');
  assert.deepEqual(judged, ['20.20.2 false', '20.20.2 true', '20.20.2 false']);
});
