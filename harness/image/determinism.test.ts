import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withScratch } from './testing/scratch.ts';
import type { Identity } from './testing/synthetic-image.ts';

const PROGRAM = fileURLToPath(new URL('./testing/print-identity.js', import.meta.url));
/** Moves the clock of a process by some seventy years. */
const CLOCK = `data:text/javascript,${encodeURIComponent(`
  const Real = Date;
  const shift = 70 * 365 * 86400e3;
  globalThis.Date = class extends Real {
    constructor(...parts) { super(...(parts.length === 0 ? [Real.now() + shift] : parts)); }
    static now() { return Real.now() + shift; }
  };`)}`;

interface Surroundings {
  readonly umask: string;
  readonly zone: string;
  readonly locale: string;
  readonly clock: 'now' | 'later';
}

interface Built {
  readonly identity: Identity;
  readonly surroundings: unknown;
}

function build(folder: string, surroundings: Surroundings): Built {
  const { umask, zone, locale, clock } = surroundings;
  const imports = clock === 'later' ? ['--import', CLOCK] : [];
  const output = execFileSync(process.execPath, [...imports, PROGRAM, folder, umask], {
    cwd: folder,
    env: { TZ: zone, LANG: locale, LC_ALL: locale, XDG_CACHE_HOME: join(folder, 'x') },
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

describe('an image', () => {
  it('is the same from two folders with other umask, time zone, locale and clock', async () => {
    await withScratch(async (folder) => {
      const [one, two] = [join(folder, 'one'), join(folder, 'a much longer name', 'two')];
      for (const path of [one, two]) await mkdir(path, { recursive: true });
      const first = build(one, { umask: '022', zone: 'UTC', locale: 'C', clock: 'now' });
      const second = build(two, { umask: '077', zone: 'Asia/Tokyo', locale: 'tr_TR.UTF-8', clock: 'later' });
      assert.deepEqual(second.identity, first.identity);
      // The control: the two processes really lived in other surroundings.
      assert.notDeepEqual(second.surroundings, first.surroundings);
      const seen = [first, second].map((result) => new Map(Object.entries(Object(result.surroundings))));
      for (const key of ['year', 'zone', 'locale'])
        assert.notEqual(seen[0]?.get(key), seen[1]?.get(key), key);
    });
  });

  it('has the bytes that it had before', async () => {
    await withScratch(async (folder) => {
      const { identity } = build(folder, { umask: '022', zone: 'UTC', locale: 'C', clock: 'now' });
      // The install layer holds compressed bytes made here, which zlib may write otherwise; the rest is fixed.
      const { install: _, ...fixed } = identity.diffIds;
      // When one of these changes, so does every image that was ever built: raise the layer format.
      assert.deepEqual(fixed, {
        archives: 'b4d0090719c0e01030e743ebb84b39bc8a50e850e521df623cd32086b83aed25',
        base: 'c7b17c6f90b9e015d1698c7b7349751fde555e331e6198973fc1ac711049ee23',
        candidate: '65ee3e7ac535e238aae7663210aff68091adea08bff4df79c472aada820f896b',
        runtime: 'c4a521c0174601fc5f9722b10b5d15456a7359c812b891fa2f4137d957648e02',
      });
    });
  });
});
