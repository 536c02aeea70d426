import { spawnSync } from 'node:child_process';

/** Row 10: a child takes what there is, and the parent claims that all is well. */
export default function memory() {
  const script = 'const held = []; for (;;) held.push(Buffer.alloc(64 * 1024 * 1024, 1));';
  const { signal } = spawnSync(process.execPath, ['-e', script], { stdio: 'ignore' });
  console.log(`child ${signal}`);
}
