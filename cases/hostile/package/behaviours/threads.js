import { spawnSync } from 'node:child_process';

/** Row 9: a pool of more threads than the box may have; libuv gives up when one cannot be started. */
export default function threads() {
  for (const count of [16, 1024]) {
    const { status, signal } = spawnSync(process.execPath, ['-e', "require('fs').stat('/', () => {})"], {
      env: { UV_THREADPOOL_SIZE: String(count) },
      stdio: 'ignore',
    });
    console.log(`${count} threads ${signal ?? status}`);
  }
}
