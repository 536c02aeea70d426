import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { open as openInspector, url } from 'node:inspector';
import { tmpdir } from 'node:os';
import { attempt } from './attempt.js';

const HOOKED = `${tmpdir()}/hooked`;
const HOOK = `require('fs').writeFileSync('${HOOKED}', '')`;

/** Row 37: everything from which a later start of Node, npm or the loader would take a hook of ours. */
export default async function preload(what) {
  if (what === 'look') {
    console.log(`hooked ${existsSync(HOOKED)}`);
    console.log(`options ${process.env.NODE_OPTIONS ?? process.env.LD_PRELOAD ?? 'none'}`);
    console.log(`flags ${process.execArgv.length}`);
    return;
  }
  await attempt('npmrc', () => writeFileSync('/home/node/.npmrc', 'node-options=--require=/work/hook.cjs\n'));
  await attempt('hooks', () => {
    mkdirSync('node_modules/.hooks', { recursive: true });
    for (const name of ['node_modules/.hooks/preinstall', 'hook.cjs', 'index.js']) writeFileSync(name, HOOK);
  });
  await attempt('imports', () =>
    writeFileSync('package.json', JSON.stringify({ imports: { '#x': './hook.cjs' }, main: './hook.cjs' })),
  );
  await attempt('profile', () =>
    writeFileSync('/home/node/.profile', 'export NODE_OPTIONS=-r/work/hook.cjs\n'),
  );
  await attempt('loader', () => writeFileSync('/etc/ld.so.preload', '/work/hook.so\n'));
  await attempt('own-imports', () => writeFileSync(new URL('../package.json', import.meta.url), '{}'));
  openInspector(0, '127.0.0.1');
  console.log(`inspector ${new URL(url() ?? 'none:').hostname}`);
  process.exit();
}
