/** The program of the mixed suite, an ES module: each case asks for one behaviour by name. */
export const MIXED_PROGRAM = `
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
const [what, one = '', two = ''] = process.argv.slice(2);
const acts = {
  says: () => console.log(one),
  warns: () => console.error(one),
  exits: () => process.exit(Number(one)),
  throws: () => { throw new Error(one); },
  raises: () => process.kill(process.pid, one),
  hangs: () => { console.log('partial'); setInterval(() => {}, 60_000); },
  stops: () => { process.on(one, () => process.exit(Number(two))); console.log('ready'); setInterval(() => {}, 60_000); },
  floods: () => { for (let left = Number(one); left > 0; left -= 65_536) process.stdout.write(Buffer.alloc(Math.min(left, 65_536), 46)); },
  leaves: () => { spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { detached: true, stdio: 'ignore' }).unref(); },
  copies: () => process.stdin.pipe(process.stdout),
  counts: () => { let sum = 0; process.stdin.on('data', (bytes) => { sum += bytes.length; }).on('end', () => console.log(sum)); },
  writes: () => writeFileSync(one, two),
  removes: () => rmSync(one),
  shows: () => process.stdout.write(readFileSync(one)),
  json: () => console.log(JSON.stringify({ number: Number(one), list: [one, two], extra: true })),
  lines: () => { for (let line = 0; line < Number(one); line += 1) console.log(JSON.stringify({ line })); },
  bytes: () => process.stdout.write(Buffer.from(one, 'hex')),
  env: () => console.log(JSON.stringify(Object.keys(process.env).sort())),
  eats: () => { const kept = []; for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1)); },
  answers: () => {
    let text = '';
    process.stdin.on('data', (bytes) => {
      text += bytes;
      for (let end = text.indexOf('\\n'); end >= 0; end = text.indexOf('\\n')) {
        const { id, method } = JSON.parse(text.slice(0, end));
        text = text.slice(end + 1);
        console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { method } }));
      }
    });
  },
};
acts[what]();
`;
