import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a test in a folder of its own, which is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'packproof-prepare-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Matches a fault by class name, code and place. */
export function faultOf(code: string, where: string | RegExp): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof Error) || error.name !== 'PrepareError') return false;
    const place = 'where' in error ? String(error.where) : '';
    const placed = typeof where === 'string' ? place === where : where.test(place);
    return 'code' in error && error.code === code && placed;
  };
}
