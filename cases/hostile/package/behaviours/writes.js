import { chmodSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { attempt } from './attempt.js';

/** Rows 20 and 26: everything that the next case, or the host, would notice. */
export default async function writes() {
  const own = fileURLToPath(new URL('../hostile.js', import.meta.url));
  await attempt('own-file', () => writeFileSync(own, ''));
  await attempt('own-mode', () => chmodSync(own, 0o777));
  await attempt('node', () => unlinkSync(process.execPath));
  await attempt('holder', () => writeFileSync('/.packproof/holder.pl', ''));
  await attempt('root', () => mkdirSync('/new'));
  await attempt('etc', () => writeFileSync('/etc/passwd', 'root::0:0::/:/bin/sh\n'));
  await attempt('dev', () => mkdirSync('/dev/new'));
  await attempt('core-pattern', () => writeFileSync('/proc/sys/kernel/core_pattern', '|/work/x'));
  await attempt('hostname', () => writeFileSync('/proc/sys/kernel/hostname', 'x'));
  await attempt('sysrq', () => writeFileSync('/proc/sysrq-trigger', 'h'));
  await attempt('first-process', () => writeFileSync('/proc/1/mem', 'x'));
  await attempt('cgroup', () => mkdirSync('/sys/fs/cgroup/new'));
}
