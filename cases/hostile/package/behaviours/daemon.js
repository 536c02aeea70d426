import { spawn } from 'node:child_process';

/** Row 7: the parent is gone at once, and its child keeps stdout. */
export default function daemon() {
  spawn('/bin/sh', ['-c', 'sleep 600'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] }).unref();
  console.log('gone');
}
