/**
 * Tiny programs that do to a box what a hostile or broken candidate does, by name. Each is an ES module that
 * is run by Node; none does anything outside the box it runs in.
 */
export const HOSTILE_PROGRAMS = {
  polite: `console.log('here'); console.error('there');`,
  hang: `console.log('before'); setInterval(() => {}, 1000);`,
  'ignore-term': `process.on('SIGTERM', () => console.log('no')); console.log('up'); setInterval(() => {}, 1000);`,
  'fork-bomb': `
    import { spawn } from 'node:child_process';
    const again = () => spawn(process.execPath, [process.argv[1]], { stdio: 'ignore' }).on('error', () => {});
    setInterval(() => { try { again(); again(); } catch {} }, 1);`,
  'memory-parent': `const held = []; for (;;) held.push(Buffer.alloc(64 << 20, 1));`,
  'memory-child': `
    import { spawnSync } from 'node:child_process';
    const child = spawnSync(process.execPath, ['-e', 'const h=[];for(;;)h.push(Buffer.alloc(64<<20,1))']);
    console.log('child', child.signal); process.exit(0);`,
  'fill-work': `
    import { openSync, writeSync } from 'node:fs';
    const out = openSync('/work/full', 'w'); const block = Buffer.alloc(1 << 20, 7); let size = 0;
    try { for (;;) size += writeSync(out, block); } catch (error) { console.log(error.code, size); }`,
  'inode-bomb': `
    import { closeSync, openSync } from 'node:fs';
    let count = 0;
    try { for (;;) { closeSync(openSync('/work/f' + count, 'w')); count += 1; } } catch (error) { console.log(error.code); }`,
  flood: `
    import { writeSync } from 'node:fs';
    const block = Buffer.alloc(1 << 20, 120); for (let i = 0; i < 1024; i += 1) writeSync(1, block);`,
  'kill-all': `
    process.on('exit', () => {});
    console.log('killing'); process.kill(-1, 'SIGKILL'); setInterval(() => {}, 1000);`,
  'kill-holder': `
    for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGTERM']) {
      try { process.kill(1, signal); console.log(signal, 'sent'); } catch (error) { console.log(signal, error.code); }
    }`,
  daemon: `
    import { spawn } from 'node:child_process';
    const late = "setInterval(() => { try { process.stdout.write('late') } catch {} }, 50)";
    spawn(process.execPath, ['-e', late], { detached: true, stdio: 'inherit' }).unref();
    console.log('left'); process.exit(0);`,
  'close-stdin': `
    import { closeSync } from 'node:fs';
    closeSync(0); setTimeout(() => console.log('deaf'), 300);`,
  'never-read': `setTimeout(() => console.log('unread'), 500);`,
  'exit-137': `process.exit(137);`,
  'self-kill': `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`,
  segv: `process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000);`,
  'read-to-end': `process.stdin.resume(); process.stdin.on('end', () => console.log('end'));`,
  'write-for-ever': `
    import { writeSync } from 'node:fs';
    for (;;) writeSync(1, 'line\\n');`,
  stop: `process.kill(process.pid, 'SIGSTOP');`,
  fifo: `
    import { execFileSync } from 'node:child_process';
    import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
    symlinkSync('/etc/passwd', '/work/link'); symlinkSync('nowhere', '/work/dangling');
    mkdirSync('/work/deep'); writeFileSync('/work/deep/file', 'x'); console.log('laid');`,
} as const;

export type HostileProgram = keyof typeof HOSTILE_PROGRAMS;
