import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Box, Snapshot } from '../engine/engine.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import { changedEntries } from '../suite/evaluate/canaries.ts';
import type { KeptFile } from '../suite/evaluator-protocol.ts';
import { KEPT_FILES_BYTES_LIMIT, KEPT_FILES_LIMIT } from './limits.ts';

/** Whether a check of the case looks into files that it leaves. */
export function looksIntoFiles({ checks }: CompiledCase): boolean {
  return checks.some(({ expect }) => expect.kind === 'no-canaries');
}

/** The regular files that are new or changed, by path with their digests, within the limits. */
export function changedFiles(before: Snapshot, after: Snapshot): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let left = KEPT_FILES_BYTES_LIMIT;
  for (const entry of changedEntries({ before, after })) {
    const { kind, sha256, sizeBytes } = entry;
    if (kind !== 'file' || sha256 === null) continue;
    if (sizeBytes > left || files.size >= KEPT_FILES_LIMIT) continue;
    left -= sizeBytes;
    files.set(entry.path, sha256);
  }
  return files;
}

/**
 * Keeps the bytes of these files of a box in which nothing of a candidate runs any more, each once, under its
 * digest. Evaluator and verifier hash them again, so that nothing here has to be believed.
 */
export async function keepFiles(
  place: { readonly box: Box; readonly roots: readonly string[] },
  wanted: ReadonlyMap<string, string>,
  folder: string,
): Promise<readonly KeptFile[]> {
  const kept = new Map<string, KeptFile>();
  if (wanted.size === 0) return [];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const root of place.roots) {
    for await (const { entry, content } of place.box.readTree(root)) {
      const sha256 = wanted.get(entry.path);
      if (content === null || sha256 === undefined || kept.has(sha256)) continue;
      const file = join(folder, sha256);
      await writeFile(file, content(), { mode: 0o600, flag: 'wx' });
      kept.set(sha256, { sha256, file });
    }
  }
  return [...kept.values()];
}
