import { answering, type FaultPackage, faultPackage } from './fault-package.ts';

/** Faults that show when the program runs, some only inside the boundary. */
export const RUNTIME_FAULTS: readonly FaultPackage[] = [
  faultPackage('f-writes-own', {
    fault: 'writes a cache beside its code',
    oracles: ['boundary'],
    body: `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('./.cache', import.meta.url), 'x');\n${answering()}`,
    gates: ['arguments/own-files.untouched'],
    warns: ['arguments/answers.no-crash'],
    binClass: 'cli',
  }),
  faultPackage('f-home-needed', {
    fault: 'dies when its configuration cannot be created in HOME',
    oracles: ['boundary'],
    body: `import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
mkdirSync(join(homedir(), '.config', 'f-home-needed'), { recursive: true });
${answering()}`,
    warns: ['home/home.missing', 'home/home.read-only'],
    binClass: 'cli',
  }),
  faultPackage('f-passwd', {
    fault: 'asks for the passwd entry of its user',
    oracles: ['boundary'],
    body: `import { userInfo } from 'node:os';\nuserInfo();\n${answering()}`,
    gates: ['arguments/user.without-passwd'],
    binClass: 'cli',
  }),
  faultPackage('f-network', {
    fault: 'looks for updates before it answers',
    oracles: ['boundary'],
    body: answering({ before: "await fetch('https://updates.packproof.invalid/');" }),
    gates: ['arguments/offline.answers'],
    warns: ['arguments/offline.bare'],
    binClass: 'cli',
  }),
  faultPackage('f-keep-alive', {
    fault: 'a timer keeps the program alive after it has answered',
    oracles: ['run'],
    body: answering({ before: 'setInterval(() => {}, 1_000_000);' }),
    gates: ['server-arguments/help.ends', 'server-arguments/version.ends'],
    binClass: 'server',
  }),
  faultPackage('f-keep-alive-answers', {
    fault: 'a timer keeps the program alive after help and version only',
    oracles: ['run'],
    body: answering({
      onHelp: 'console.log(usage); setInterval(() => {}, 1_000_000);',
      onVersion: 'console.log(own.version); setInterval(() => {}, 1_000_000);',
    }),
    gates: ['arguments/help.ends', 'arguments/version.ends'],
    binClass: 'cli',
  }),
  faultPackage('f-slow-exit', {
    fault: 'waits four seconds after it has answered',
    oracles: ['run'],
    body: answering({ onVersion: 'console.log(own.version); setTimeout(() => {}, 4_000);' }),
    warns: ['arguments/exit.lag'],
    binClass: 'cli',
  }),
  faultPackage('f-stdin-waits', {
    fault: 'reads standard input to its end before it looks at its arguments',
    oracles: ['run'],
    body: answering({ before: 'for await (const _ of process.stdin);' }),
    gates: ['stdin-help/stdin.help-idle', 'stdin-version/stdin.version-idle'],
    binClass: 'reads-stdin',
  }),
  faultPackage('f-terminal', {
    fault: 'asks its input for raw mode before it looks at its arguments',
    oracles: ['run'],
    body: answering({ before: 'process.stdin.setRawMode(true);' }),
    gates: ['arguments/terminal.not-needed'],
    binClass: 'needs-terminal',
  }),
  faultPackage('f-truncated', {
    fault: 'leaves before a large output is written',
    oracles: ['run'],
    body: answering({ onHelp: "process.stdout.write('option\\n'.repeat(130_000)); process.exit(0);" }),
    gates: ['stdout/stdout.complete'],
    warns: ['stdout/stdout.same'],
    binClass: 'cli',
  }),
  faultPackage('f-broken-pipe', {
    fault: 'dies with a stack trace when its reader goes away',
    oracles: ['run'],
    body: answering({
      onHelp:
        "for (let i = 0; i < 40; i += 1) { process.stdout.write('option\\n'.repeat(2_000)); await new Promise((r) => setTimeout(r, 10)); }",
    }),
    warns: ['stdout/stdout.closed-quietly'],
    binClass: 'cli',
  }),
  faultPackage('f-exit-zero', {
    fault: 'prints an error and succeeds',
    oracles: ['run'],
    body: answering({ onUnknown: "console.error('error: unknown option ' + flag);" }),
    warns: ['arguments/unknown-flag.refused', 'arguments/unknown-flag.error-is-failure'],
    binClass: 'cli',
  }),
  faultPackage('f-unknown-crash', {
    fault: 'an unknown flag ends in a stack trace',
    oracles: ['run'],
    body: answering({ onUnknown: "throw new Error('unknown option ' + flag);" }),
    warns: ['arguments/unknown-flag.no-crash'],
    binClass: 'cli',
  }),
  faultPackage('f-exit-137', {
    fault: 'exits with 137 by itself, as if it had been killed',
    oracles: ['run'],
    body: answering({ onHelp: 'console.log(usage); process.exitCode = 137;' }),
    warns: ['arguments/help.exit-zero'],
    binClass: 'cli',
  }),
  faultPackage('f-abort', {
    fault: 'ends itself by SIGABRT',
    oracles: ['run'],
    body: 'process.abort();\n',
    gates: ['classify/bin.no-crash-signal'],
    binClass: 'broken',
  }),
  faultPackage('f-help-silent', {
    fault: 'help is asked for, nothing is said, and the exit code is 0',
    oracles: ['run'],
    body: answering({ onHelp: '' }),
    warns: ['arguments/help.not-empty'],
    binClass: 'cli',
  }),
  faultPackage('f-orphan', {
    fault: 'leaves a process behind',
    oracles: ['run'],
    body: answering({
      before: `const { spawn } = await import('node:child_process');
spawn('sleep', ['61'], { detached: true, stdio: 'ignore' }).unref();`,
    }),
    gates: ['arguments/leftovers'],
    spreads: true,
    binClass: 'cli',
  }),
  faultPackage('f-sigterm-deaf', {
    fault: 'a server that ignores SIGTERM',
    oracles: ['run'],
    body: "process.on('SIGTERM', () => {});\nconsole.log('listening');\nsetInterval(() => {}, 1_000_000);\n",
    gates: ['signals/signal.ends'],
    warns: ['signals/signal.prompt'],
    binClass: 'server',
  }),
  faultPackage('f-sigterm-orphan', {
    fault: 'a wrapper that ends and leaves its child running',
    oracles: ['run'],
    body: `import { spawn } from 'node:child_process';
spawn('sleep', ['61'], { stdio: 'ignore' });
console.log('listening');
setInterval(() => {}, 1_000_000);
`,
    warns: ['signals/signal.leftovers'],
    binClass: 'server',
  }),
  faultPackage('f-memory', {
    fault: 'a child eats all memory and is killed, the parent exits 0',
    oracles: ['boundary'],
    body: answering({
      onVersion: `const { spawnSync } = await import('node:child_process');
  spawnSync(process.execPath, ['-e', 'const a = []; for (;;) a.push(Buffer.alloc(1 << 28, 1));'], { stdio: 'ignore' });
  console.log(own.version);`,
    }),
    gates: ['arguments/memory'],
    spreads: true,
    binClass: 'cli',
  }),
  faultPackage('f-flood', {
    fault: 'help never stops',
    oracles: ['run'],
    body: answering({
      onHelp:
        "for (;;) { process.stdout.write('usage '.repeat(10_000)); await new Promise((r) => setImmediate(r)); }",
    }),
    gates: ['classify/output.help', 'arguments/output.help'],
    spreads: true,
    binClass: 'cli',
  }),
  faultPackage('f-time-zone', {
    fault: 'help depends on the time zone',
    oracles: ['run'],
    body: answering({ onHelp: 'console.log(usage + new Date(0).toString());' }),
    warns: ['environment/zone.same'],
    binClass: 'cli',
  }),
  faultPackage('f-locale', {
    fault: 'help depends on the locale',
    oracles: ['run'],
    body: answering({ onHelp: 'console.log(usage + new Date(0).toLocaleDateString());' }),
    warns: ['environment/locale.same'],
    binClass: 'cli',
  }),
  faultPackage('f-colour', {
    fault: 'colours text in a pipe, whatever NO_COLOR says',
    oracles: ['run'],
    body: answering({ onHelp: "console.log('\\u001b[1m' + usage + '\\u001b[0m');" }),
    warns: ['stdout/stdout.no-escapes', 'environment/colour.none'],
    binClass: 'cli',
  }),
  faultPackage('f-cwd-assumed', {
    fault: 'reads a file of its source tree relative to the current directory',
    oracles: ['run'],
    body: answering({ before: "readFileSync('./src/settings.json');" }),
    warns: ['arguments/answers.no-crash'],
    binClass: 'cli',
  }),
  faultPackage('f-litter', {
    fault: 'leaves a log in the current directory',
    oracles: ['run'],
    body: answering({ before: "(await import('node:fs')).writeFileSync('f-litter.log', 'x');" }),
    warns: ['arguments/cwd.clean'],
    binClass: 'cli',
  }),
];
