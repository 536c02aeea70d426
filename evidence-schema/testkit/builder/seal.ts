import { at, bind, changeJson, type Files, INDEX, list, sortedPaths, statementsOf, sum } from './bundle.ts';
import { isList, isObject, type Json, sha256 } from './canonical.ts';
import { type KeyName, signStatements } from './signing.ts';

const SHARDS = 'shards.json';

/**
 * Recomputes all that follows from the files of a bundle: index, statements, envelopes and sums. Of merged evidence
 * those of every shard first, since the whole names their indexes and lists all their files.
 */
export function seal(files: Files, signedBy: KeyName | null): void {
  for (const folder of shardsOf(files)) {
    const shard = below(files, folder);
    seal(shard, signedBy);
    for (const [path, bytes] of shard) files.set(`${folder}/${path}`, bytes);
  }
  if (files.has(SHARDS)) changeJson(files, SHARDS, (document) => nameIndexes(document, files));
  list(files);
  bind(files);
  if (signedBy !== null) signStatements(files, statementsOf(files), signedBy);
  sum(files);
}

/** Folders of whole bundles in a bundle. */
function shardsOf(files: Files): readonly string[] {
  return sortedPaths(files).flatMap((path) => /^(shards\/[0-9]+)\/bundle\.json$/.exec(path)?.[1] ?? []);
}

function below(files: Files, folder: string): Files {
  const head = `${folder}/`;
  const paths = sortedPaths(files).filter((path) => path.startsWith(head));
  return new Map(paths.map((path) => [path.slice(head.length), at(files, path)]));
}

/** Writes the present digest of each shard's index where the merged bundle names it. */
function nameIndexes(document: Json, files: Files): Json {
  if (!isObject(document) || !isList(document['shards'] ?? null)) return document;
  const shards = (document['shards'] as readonly Json[]).map((shard) => {
    const bytes = isObject(shard) ? files.get(`shards/${String(shard['index'])}/${INDEX}`) : undefined;
    return isObject(shard) && bytes !== undefined ? { ...shard, bundleSha256: sha256(bytes) } : shard;
  });
  return { ...document, shards };
}
