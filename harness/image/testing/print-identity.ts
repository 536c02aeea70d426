import { join } from 'node:path';
import { LayerStore } from '../layer-store.ts';
import { buildSyntheticImage } from './synthetic-image.ts';

/** Run as a program: builds the synthetic image under this umask and prints its identity and surroundings. */
const [folder = '', umask = '022'] = process.argv.slice(2);
process.umask(Number.parseInt(umask, 8));
const identity = await buildSyntheticImage(await LayerStore.open(join(folder, 'cache')), folder);
const surroundings = {
  year: new Date().getFullYear(),
  zone: new Date(0).getHours(),
  locale: Intl.DateTimeFormat().resolvedOptions().locale,
};
process.stdout.write(JSON.stringify({ identity, surroundings }));
