import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, hostname, totalmem, uptime } from 'node:os';

/** Row 30: what tells a box from a person's machine. A program that looks can behave. */
export default function fingerprint() {
  const first = readFileSync('/proc/1/cmdline', 'latin1').split('\0')[0];
  console.log(`hostname ${hostname()}`);
  console.log(`user ${process.getuid?.()}:${process.getgid?.()}`);
  console.log(`dockerenv ${existsSync('/.dockerenv')}`);
  console.log(`first ${first}`);
  console.log(`processors ${availableParallelism()}`);
  console.log(`memory ${Math.round(totalmem() / 2 ** 20)} MiB`);
  console.log(`uptime ${Math.round(uptime())} s`);
}
