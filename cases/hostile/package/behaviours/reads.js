import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { attempt } from './attempt.js';

/** Row 27 and 4: what the host's kernel and the first process would tell. */
export default async function reads() {
  for (const path of ['/proc/kcore', '/proc/keys', '/proc/1/environ', '/proc/1/mem', '/etc/shadow']) {
    await attempt(path, () => {
      if (readFileSync(path).length === 0) throw new Error('empty');
    });
  }
  console.log(
    `sockets ${readdirSync('/', { recursive: false }).filter((name) => name.endsWith('.sock')).length}`,
  );
  connect('/run/dbus/system_bus_socket').once('error', (error) => console.log(`dbus ${error.code}`));
}
