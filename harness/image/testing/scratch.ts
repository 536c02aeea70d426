import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PinnedFile } from '../pinned-file.ts';

/** Runs `work` with a fresh folder that is removed afterwards. */
export async function withScratch<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'packproof-image-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes bytes to a file and pins it by its true digest. */
export async function pin(folder: string, name: string, bytes: Uint8Array): Promise<PinnedFile> {
  const file = join(folder, name);
  await writeFile(file, bytes);
  return { file, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** What a fault must be: class by its code, and the place it names. */
export function fault(code: string, where: string): { readonly code: string; readonly where: string } {
  return { code, where };
}
