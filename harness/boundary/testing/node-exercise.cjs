// What programs on Node do with the kernel, each act by its name. Prints one JSON object: per act `ok` or why not.
'use strict';
const { once } = require('node:events');
const childProcess = require('node:child_process');
const crypto = require('node:crypto');
const dgram = require('node:dgram');
const dns = require('node:dns');
const fs = require('node:fs');
const http = require('node:http');
const inspector = require('node:inspector');
const net = require('node:net');
const os = require('node:os');
const { promisify } = require('node:util');
const v8 = require('node:v8');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');
const zlib = require('node:zlib');

const ACT_LIMIT_MS = 20_000;

function demand(condition, what) {
  if (!condition) throw new Error(what);
}

/** Resolves with the code of the error that must come. */
async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error.code;
  }
  throw new Error('did not fail');
}

async function answerOf(url) {
  return (await fetch(url)).text();
}

async function serve(host) {
  const server = http.createServer((_, response) => response.end('ok')).listen(0, host);
  await once(server, 'listening');
  const name = host.includes(':') ? `[${host}]` : host;
  const text = await answerOf(`http://${name}:${server.address().port}/`);
  server.close();
  server.closeAllConnections();
  demand(text === 'ok', text);
}

// (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
const WASM = '0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b';

const CLUSTER = `
const cluster = require('node:cluster');
if (cluster.isPrimary) {
  const worker = cluster.fork();
  worker.on('listening', () => worker.kill());
  worker.on('exit', () => process.exit(7));
} else require('node:http').createServer(() => {}).listen(0, '127.0.0.1');
`;

const ACTS = {
  'list the interfaces': () => demand(Object.keys(os.networkInterfaces()).join() === 'lo', 'other than lo'),
  'count processors and memory': () => {
    demand(os.cpus().length > 0 && os.totalmem() > 0, 'none');
    demand(process.constrainedMemory() === 2 ** 31, `constrained to ${process.constrainedMemory()}`);
  },
  'run eight worker threads': async () => {
    const code = 'require("node:worker_threads").parentPort.postMessage(1 + 1)';
    const workers = Array.from({ length: 8 }, () => new Worker(code, { eval: true }));
    const all = workers.map((worker) => Promise.all([once(worker, 'message'), once(worker, 'exit')]));
    for (const [[message], [exitCode]] of await Promise.all(all))
      demand(message === 2 && exitCode === 0, 'wrong');
  },
  'spawn a child': async () => {
    const child = childProcess.spawn(process.execPath, ['-p', '6 * 7']);
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
    });
    const [code] = await once(child, 'close');
    demand(code === 0 && text === '42\n', text);
  },
  'run a shell': () => demand(childProcess.execSync('echo hi', { encoding: 'utf8' }) === 'hi\n', 'wrong'),
  'fork with a channel': async () => {
    fs.writeFileSync('/work/child.cjs', 'process.send(1); process.disconnect();');
    const child = childProcess.fork('/work/child.cjs');
    const [[message]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
    demand(message === 1, 'wrong');
  },
  'share a port in a cluster': () => {
    fs.writeFileSync('/work/cluster.cjs', CLUSTER);
    demand(childProcess.spawnSync(process.execPath, ['/work/cluster.cjs']).status === 7, 'wrong');
  },
  'run its own test runner': () => {
    fs.writeFileSync('/work/own.test.cjs', "require('node:test')('passes', () => {});");
    demand(childProcess.spawnSync(process.execPath, ['--test', '/work/own.test.cjs']).status === 0, 'failed');
  },
  'hash, derive and make keys': async () => {
    crypto.scryptSync('password', 'salt', 16);
    await promisify(crypto.generateKeyPair)('ed25519');
    await crypto.subtle.digest('SHA-256', new Uint8Array(1));
    demand(crypto.randomBytes(16).length === 16, 'short');
  },
  compress: () => demand(zlib.brotliDecompressSync(zlib.brotliCompressSync('x')).toString() === 'x', 'wrong'),
  'watch a folder': async () => {
    const watcher = fs.watch('/work');
    const change = once(watcher, 'change');
    fs.writeFileSync('/work/watched', '1');
    await change;
    watcher.close();
  },
  'fail to look up a name': async () => {
    const code = await failure(dns.promises.lookup('example.invalid'));
    demand(['ENOTFOUND', 'EAI_AGAIN'].includes(code), code);
  },
  'fail to resolve a name': async () => {
    const code = await failure(dns.promises.resolve4('example.invalid'));
    demand(['ECONNREFUSED', 'ENOTFOUND'].includes(code), code);
  },
  'fail to connect': async () => {
    const code = await failure(new Promise((_, reject) => net.connect(9, '192.0.2.1').on('error', reject)));
    demand(code === 'ENETUNREACH', code);
  },
  'serve HTTP on IPv4 loopback': () => serve('127.0.0.1'),
  'serve HTTP on IPv6 loopback': () => (os.networkInterfaces().lo.length > 1 ? serve('::1') : undefined),
  'serve a unix socket': async () => {
    const server = net.createServer((socket) => socket.end('hello')).listen('/work/socket');
    await once(server, 'listening');
    const [bytes] = await once(net.connect('/work/socket'), 'data');
    server.close();
    demand(bytes.toString() === 'hello', 'wrong');
  },
  'send a datagram': async () => {
    const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const message = once(socket, 'message');
    socket.send('x', socket.address().port, '127.0.0.1');
    demand((await message)[0].toString() === 'x', 'wrong');
    socket.close();
  },
  'run WebAssembly': async () => {
    const { instance } = await WebAssembly.instantiate(Buffer.from(WASM, 'hex'));
    demand(instance.exports.add(2, 3) === 5, 'wrong');
    new WebAssembly.Memory({ initial: 1, maximum: 16, shared: true });
  },
  'compile hot code': () => {
    let sum = 0;
    for (let index = 0; index < 3e6; index += 1) sum = (sum + index * 31) % 1_000_003;
    demand(sum > 0 && vm.runInNewContext('1 + 1') === 2, 'wrong');
  },
  'wait on shared memory': () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2),
  'do everything with files': async () => {
    fs.mkdirSync('/work/a/b', { recursive: true });
    fs.writeFileSync('/work/a/file', 'x'.repeat(100_000));
    fs.copyFileSync('/work/a/file', '/work/a/copy', fs.constants.COPYFILE_FICLONE);
    fs.cpSync('/work/a/copy', '/work/a/again');
    fs.symlinkSync('b', '/work/a/link');
    fs.linkSync('/work/a/copy', '/work/a/hard');
    fs.chmodSync('/work/a/copy', 0o600);
    fs.utimesSync('/work/a/copy', 1, 1);
    fs.renameSync('/work/a/hard', '/work/a/b/hard');
    fs.truncateSync('/work/a/copy', 1);
    fs.statfsSync('/work');
    fs.realpathSync.native('/work/a/link');
    const handle = await fs.promises.open('/work/a/vector', 'w');
    await handle.writev([Buffer.from('a'), Buffer.from('b')]);
    await handle.sync();
    await handle.close();
    for await (const _ of fs.opendirSync('/work/a'));
    fs.rmSync('/work/a', { recursive: true });
    fs.mkdtempSync('/tmp/x');
  },
  'set priority, title and ids': () => {
    os.setPriority(0, 5);
    process.title = 'exercise';
    process.setgid(1000);
    process.setuid(1000);
    demand(os.getPriority(0) === 5, 'wrong');
  },
  'write a report and a heap snapshot': () => {
    demand(process.report.getReport().header.nodejsVersion === process.version, 'wrong');
    v8.writeHeapSnapshot('/work/heap.heapsnapshot');
  },
  'profile itself': async () => {
    const session = new inspector.Session();
    session.connect();
    const post = promisify(session.post).bind(session);
    await post('Profiler.enable');
    await post('Profiler.start');
    await post('Profiler.stop');
    session.disconnect();
  },
  'receive a signal': async () => {
    const received = once(process, 'SIGUSR2');
    process.kill(process.pid, 'SIGUSR2');
    await received;
  },
  'listen on no inspector': () => demand(inspector.url() === undefined, 'listens'),
};

async function main() {
  const results = {};
  for (const [name, act] of Object.entries(ACTS)) {
    const late = new Promise((_, reject) => {
      setTimeout(() => reject(new Error('took too long')), ACT_LIMIT_MS).unref();
    });
    try {
      await Promise.race([act(), late]);
      results[name] = 'ok';
    } catch (error) {
      results[name] = String(error.code ?? error.message);
    }
  }
  fs.writeSync(1, JSON.stringify({ version: process.version, results }));
  process.exit(0);
}

// Some acts wait for nothing that keeps the loop alive, such as a signal.
setInterval(() => {}, 1000);
main();
