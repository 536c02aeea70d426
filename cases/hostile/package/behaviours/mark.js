import { existsSync, writeFileSync } from 'node:fs';

const PLACES = ['/tmp', '/work', '/home/node', '/dev/shm'];

/** Row 23: looks for what an earlier run left, and leaves it. */
export default function mark() {
  console.log(`found ${PLACES.filter((place) => existsSync(`${place}/mark`)).join() || 'nothing'}`);
  for (const place of PLACES) {
    try {
      writeFileSync(`${place}/mark`, '');
    } catch {
      // A place that does not exist cannot carry a mark either.
    }
  }
}
