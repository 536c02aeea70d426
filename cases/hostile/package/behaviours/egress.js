import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { attempt } from './attempt.js';

/** Row 1 and 4: everything that could lead out; the port is one that the host listens on. */
export default async function egress(file = 'port.txt') {
  const port = Number(readFileSync(file, 'utf8'));
  await attempt('tcp-loopback', () => connected({ host: '127.0.0.1', port }));
  await attempt('tcp-outside', () => connected({ host: '192.0.2.1', port: 80 }));
  await attempt('tcp6-outside', () => connected({ host: '2001:db8::1', port: 80 }));
  await attempt('udp-outside', () => sent('192.0.2.1', 53));
  await attempt('abstract', () => connected({ path: `\0packproof-${port}` }));
  await attempt('engine-socket', () => connected({ path: '/var/run/docker.sock' }));
  await attempt('name', () => lookup('example.com'));
  console.log(`interfaces ${Object.keys(networkInterfaces()).join()}`);
}

function connected(options) {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, timeout: 3000 }, () => {
      socket.end('here\n');
      resolve();
    });
    socket.once('error', reject);
    socket.once('timeout', () => reject(new Error('silence')));
  });
}

function sent(host, port) {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.send('here', port, host, (error) => {
      socket.close();
      if (error) reject(error);
      else resolve();
    });
  });
}
