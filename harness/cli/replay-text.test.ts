import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplayDocument, ReplaySide } from '../replay/replay-document.ts';
import { toReplayText } from './replay-text.ts';

const SIDE: ReplaySide = {
  runId: 'run',
  bundleSha256: '',
  engine: null,
  exitCode: 0,
  harness: { version: '1.0.0', distSha256: '' },
};

function textOf(recorded: Buffer, replayed: Buffer): string {
  const difference = {
    kind: 'stream',
    decisive: false,
    volatile: null,
    where: 'run stdout',
    recorded: '',
    replayed: '',
    bytes: { offset: 5, recordedHex: recorded.toString('hex'), replayedHex: replayed.toString('hex') },
  } as const;
  const document: ReplayDocument = {
    formatVersion: 1,
    result: 'equivalent',
    exitCode: 0,
    candidate: { name: 'x', version: '1.0.0', sha256: '', sha512: '' },
    recorded: SIDE,
    replayed: SIDE,
    images: [],
    sameBoundary: true,
    counts: { identical: 0, equivalent: 1, different: 0 },
    cases: [{ id: 'one', result: 'equivalent', differences: [difference] }],
    durationMs: 1,
  };
  return toReplayText(document, false);
}

test('bytes that are text are shown as text, also when they end within a character', () => {
  const shown = textOf(Buffer.from('2.400 m\n'), Buffer.from('zwölf ü').subarray(0, -1));
  assert.match(shown, /from byte 5 recorded "2\.400 m\\u\{a\}", replayed "zwölf "\n/);
});

test('other bytes are shown in hex, and none as the end', () => {
  assert.match(textOf(Buffer.from('\u001b[2J'), Buffer.alloc(0)), /recorded 1b5b324a, replayed the end\n/);
  assert.match(textOf(Buffer.from([0xbc, 0x61]), Buffer.from([0xff])), /recorded bc61, replayed ff\n/);
});
