import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { compareBoundary } from '../../boundary/compare.ts';
import { toExpectedInspect, toExpectedSeccompForms } from '../../boundary/engine-view.ts';
import { parseMeasured } from '../../boundary/parse-measured.ts';
import { toProbeStep } from '../../boundary/probe-orders.ts';
import { readSeccompPolicy } from '../../boundary/seccomp-policy.ts';
import type { Engine, EvidenceWay, Snapshot } from '../engine.ts';
import { OWNED_ANSWER, OWNED_FILES, OWNED_LISTED, READ_OWNED } from '../testing/owned-files.ts';
import { collectStep } from '../testing/step-run.ts';
import { probeDocker } from './probe.ts';
import {
  bytesOf,
  codeOf,
  collectEvents,
  connect,
  openTrialBox,
  type PrivateEngine,
  startPerl,
  startPrivateEngine,
  trialBoundary,
} from './testing/private-engine.ts';

const WAYS: readonly EvidenceWay[] = ['host', 'engine-archive'];

/** Names and kinds that a candidate can choose; sockets are left out, which the archive call does not pack. */
const HOSTILE_FILES = String.raw`
  umask 0;
  sub put { open my $f, ">", $_[0] or die $!; print $f $_[1] }
  put("plain", "text"); put("empty", ""); put("bin\xff\xfe", "raw name"); put("line\nbreak", "n");
  put("caf\xc3\xa9", "composed"); put("cafe\xcc\x81", "decomposed"); put("x" x 250, "long");
  chmod 04711, "plain"; chmod 0, "empty"; link "plain", "twin";
  symlink "/etc/passwd", "out"; symlink "nowhere\xff", "dangling";
  my $deep = "d"; for (1 .. 20) { mkdir $deep; $deep .= "/" . "d" x 30 } put("$deep", "deep");
  put("sparse", ""); truncate "sparse", 100 << 20;
`;

const DEEP = Array.from({ length: 21 }, (_, index) => `/work/d${`/${'d'.repeat(30)}`.repeat(index)}`);
const HOSTILE_ENTRIES: readonly string[] = [
  'file /work/bin%FF%FE',
  'file /work/cafe\u0301',
  'file /work/caf\u00e9',
  ...DEEP.map((path, index) => `${index === 20 ? 'file' : 'directory'} ${path}`),
  'symlink /work/dangling',
  'file /work/empty',
  'file /work/line\nbreak',
  'symlink /work/out',
  'fifo /work/pipe',
  'file /work/plain',
  'file /work/sparse',
  'file /work/twin',
  `file /work/${'x'.repeat(250)}`,
];

/** What both ways can know: times in seconds, no size of folders. */
function toComparable({ entries }: Snapshot) {
  return entries.map((entry) => ({
    ...entry,
    mtimeMs: 0,
    sizeBytes: entry.kind === 'directory' ? 0 : entry.sizeBytes,
  }));
}

describe('the Docker engine', () => {
  let shared: PrivateEngine;
  const engines: Engine[] = [];

  before(async () => {
    shared = await startPrivateEngine();
  });
  after(async () => {
    await Promise.all(engines.map((engine) => engine.dispose()));
    await shared.stop();
  });

  async function connectAs(runId: string, way?: EvidenceWay): Promise<Engine> {
    const engine = await connect(shared, { runId, ...(way === undefined ? {} : { way }) });
    engines.push(engine);
    return engine;
  }

  it('is found by its endpoint and says what it is', async () => {
    const probe = await probeDocker(shared.unix);
    assert.equal(probe.kind, 'ready');
    const facts = await (await connectAs('facts')).facts();
    assert.equal(facts.name, 'docker');
    assert.match(facts.apiVersion ?? '', /^1\.\d+$/);
    assert.equal(facts.evidenceWay, 'host');
  });

  it('is absent where nothing listens', async () => {
    const probe = await probeDocker({ kind: 'unix', socketPath: join(shared.folder, 'nothing.sock') });
    assert.equal(probe.kind, 'absent');
  });

  for (const way of WAYS) {
    it(`gives the whole boundary back in its inspect (${way})`, async () => {
      const boundary = trialBoundary();
      const box = await openTrialBox(await connectAs('inspect', way), {
        folder: shared.folder,
        runId: 'inspect',
      });
      const { seccompFormSha256, ...inspect } = (await box.outside()).inspect;
      await box.close();
      assert.deepEqual(inspect, toExpectedInspect(boundary));
      assert.ok(
        toExpectedSeccompForms(readSeccompPolicy(), boundary.platform).some(
          (form) => form === seccompFormSha256,
        ),
        'the seccomp profile is one of the two forms of the policy',
      );
    });

    it(`holds the boundary as declared, measured from inside and read from outside (${way})`, async () => {
      const boundary = trialBoundary();
      const box = await openTrialBox(await connectAs('probe', way), {
        folder: shared.folder,
        runId: 'probe',
      });
      const { stdin, ...started } = toProbeStep(boundary);
      const step = await box.start({ ...started, stdin: 'open', stdout: 'pipe', stderr: 'pipe' });
      const engine = await box.outside();
      const events = collectEvents(step);
      await step.writeStdin(stdin);
      step.closeStdin();
      const measured = parseMeasured(bytesOf(await events, 'stdout'));
      await box.close();
      assert.deepEqual(compareBoundary(boundary, { engine, measured }), []);
      const other = { ...boundary, pidsLimit: 255 };
      assert.notDeepEqual(compareBoundary(other, { engine, measured }), []);
    });

    it(`shows a boundary that was relaxed behind its back (${way})`, async () => {
      const boundary = { ...trialBoundary(), pidsLimit: 7, rootReadOnly: false, hostname: 'other' };
      const place = { folder: shared.folder, runId: 'relaxed' };
      const box = await openTrialBox(await connectAs('relaxed', way), place, boundary);
      const { inspect } = await box.outside();
      await box.close();
      const differing = Object.entries(toExpectedInspect(trialBoundary()))
        .filter(([key, value]) => JSON.stringify(inspect[key]) !== JSON.stringify(value))
        .map(([key]) => key);
      assert.deepEqual(differing.sort(), ['hostname', 'pidsLimit', 'rootReadOnly']);
    });

    it(`brings 64 MiB of output whole (${way})`, async () => {
      const box = await openTrialBox(await connectAs('output', way), {
        folder: shared.folder,
        runId: 'output',
      });
      const events = await collectEvents(
        await startPerl(box, 'print(chr(65 + $_ % 26) x 65536) for 1 .. 1024; print "END"'),
      );
      await box.close();
      const expected = createHash('sha256');
      for (let index = 1; index <= 1024; index += 1) {
        expected.update(Buffer.alloc(65536, 65 + (index % 26)));
      }
      const bytes = bytesOf(events, 'stdout');
      assert.equal(bytes.length, 64 * 1024 * 1024 + 3);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), expected.update('END').digest('hex'));
    });

    it(`keeps the streams apart and lets stdin end before the output (${way})`, async () => {
      const box = await openTrialBox(await connectAs('streams', way), {
        folder: shared.folder,
        runId: 'streams',
      });
      const program = 'my @l = <STDIN>; print STDERR scalar(@l), "\\n"; print @l; exit 3';
      const step = await startPerl(box, program, 'open');
      const events = collectEvents(step);
      assert.equal(await step.writeStdin(Buffer.from('one\ntwo\n')), 'written');
      step.closeStdin();
      const seen = await events;
      await box.close();
      assert.deepEqual(await step.ended, { kind: 'exited', code: 3 });
      assert.equal(bytesOf(seen, 'stdout').toString(), 'one\ntwo\n');
      assert.equal(bytesOf(seen, 'stderr').toString(), '2\n');
    });

    it(`tells that a child met the memory limit (${way})`, async () => {
      const boundary = { ...trialBoundary(), memoryBytes: 64 << 20, memorySwapBytes: 64 << 20 };
      const place = { folder: shared.folder, runId: 'memory' };
      const box = await openTrialBox(await connectAs('memory', way), place, boundary);
      const program = 'unless (fork) { my $x = "x" x (200 << 20); exit 9 } wait; exit 0';
      await collectEvents(await startPerl(box, program));
      await box.killAll();
      await box.snapshot();
      const end = await box.close();
      assert.equal(end.oomKilled, true);
      assert.equal(end.oomKills, way === 'host' ? 1 : null);
    });

    it(`names the processes that are left (${way})`, async () => {
      const box = await openTrialBox(await connectAs('left', way), { folder: shared.folder, runId: 'left' });
      await (await startPerl(box, 'exit 0 if fork; close STDOUT; close STDERR; sleep 99')).ended;
      await box.freeze();
      const left = await box.processes();
      assert.equal(await box.killAll(), 1);
      const none = await box.processes();
      await box.close();
      assert.equal(left.length, 1);
      assert.match(left[0]?.argv.join(' ') ?? '', /^\/usr\/bin\/perl -e exit 0/);
      assert.equal(left[0]?.state, 'T');
      assert.deepEqual(none, []);
    });

    it(`reads a tree with its contents in byte order of path (${way})`, async () => {
      const box = await openTrialBox(await connectAs('tree', way), { folder: shared.folder, runId: 'tree' });
      const program =
        'mkdir "a"; mkdir "a/b"; for (["a/b/f", 3], ["a-b", 5], ["a/z", 200000]) { open F, ">", $_->[0]; print F "y" x $_->[1]; close F }';
      await (await startPerl(box, program)).ended;
      await box.killAll();
      const found: string[] = [];
      for await (const { entry, content } of box.readTree('/work')) {
        let sizeBytes = 0;
        for await (const chunk of content?.() ?? []) {
          sizeBytes += chunk.length;
        }
        found.push(`${entry.path} ${content === null ? '-' : sizeBytes}`);
      }
      const missing = box.readTree('/work/none')[Symbol.asyncIterator]().next();
      await assert.rejects(missing, (error) => codeOf(error) === 'EVIDENCE_UNREADABLE');
      await box.close();
      const expected = ['/work/a -', '/work/a-b 5', '/work/a/b -', '/work/a/b/f 3', '/work/a/z 200000'];
      assert.deepEqual(found, expected);
    });
  }

  it('gives entries to other users from the host, and fails where it cannot', async () => {
    const place = { folder: shared.folder, runId: 'owned', files: OWNED_FILES };
    const box = await openTrialBox(await connectAs('owned', 'host'), place);
    const { entries } = await box.snapshot();
    const { stdout } = await collectStep(await startPerl(box, READ_OWNED));
    await box.close();
    assert.deepEqual(
      entries.map(({ path, uid, gid, mode }) => `${path} ${uid}:${gid} ${mode}`),
      OWNED_LISTED,
    );
    assert.equal(stdout, OWNED_ANSWER);
    const archive = openTrialBox(await connectAs('owned', 'engine-archive'), place);
    await assert.rejects(archive, (error) => codeOf(error) === 'OWNER_NOT_LAID');
  });

  it('sees the same files through the host, the archive call and a TCP connection', async () => {
    const remote = await connect(shared, { runId: 'same', endpoint: shared.tcp });
    engines.push(remote);
    const local = await connectAs('same', 'host');
    const archive = await connectAs('same', 'engine-archive');
    assert.equal((await remote.facts()).evidenceWay, 'engine-archive');
    const snapshots: Snapshot[] = [];
    for (const engine of [local, archive, remote]) {
      const files = [{ kind: 'fifo', path: '/work/pipe', mode: 0o640 }] as const;
      const box = await openTrialBox(engine, { folder: shared.folder, runId: 'same', files });
      assert.deepEqual(await (await startPerl(box, HOSTILE_FILES)).ended, { kind: 'exited', code: 0 });
      await box.killAll();
      snapshots.push(await box.snapshot());
      await box.close();
    }
    const [first = [], ...others] = snapshots.map(toComparable);
    assert.deepEqual(
      first.map(({ path, kind }) => `${kind} ${path}`),
      HOSTILE_ENTRIES,
    );
    for (const other of others) {
      assert.deepEqual(other, first);
    }
    assert.deepEqual(
      snapshots.map(({ way, truncated }) => [way, truncated]),
      [
        ['host', []],
        ['engine-archive', []],
        ['engine-archive', []],
      ],
    );
  });
});
