import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { attempt } from './attempt.js';
import { PERL } from './perl.js';

/** Row 22: a tree that a careless collector follows, waits for, or runs out of memory over. */
export default async function traps() {
  await attempt('link-out', () => symlinkSync('/etc/passwd', 'passwd'));
  await attempt('link-loop', () => symlinkSync('loop', 'loop'));
  await attempt('fifo', () => spawnSync(PERL, ['-e', 'syscall(133, "fifo", 0010644, 0) == 0 or die']));
  await attempt('line-feed', () => writeFileSync('a\nb', ''));
  await attempt('no-utf8', () => writeFileSync(Buffer.from([0x66, 0xff]), ''));
  await attempt('twins', () => ['\u00e9', 'e\u0301'].map((name) => writeFileSync(name, '')));
  await attempt('deep', () => mkdirSync('d/'.repeat(1000), { recursive: true }));
  await attempt('unreadable', () => closeSync(openSync('secret', 'w', 0)));
  await attempt('socket', () => new Promise((resolve) => createServer().listen('sock', resolve).unref()));
  closeSync(openSync('sparse', 'w'));
  await attempt('sparse', () => truncateSync('sparse', 64 * 1024 * 1024));
}
