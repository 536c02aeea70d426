import { homedir } from 'node:os';
import { isAbsolute, sep } from 'node:path';
import { toPlatform } from '../scope/candidate-paths.ts';
import { ScopeError } from '../scope/errors.ts';
import { inventory } from '../scope/inventory.ts';
import type { ScopeReport } from '../scope/model.ts';
import { DEFAULT_CLIENT, EVERY_CLIENT, PROFILES, profilesOf } from '../scope/profiles/profiles.ts';
import { readSource } from '../scope/read/bounded-reader.ts';
import { probeFile } from '../scope/read/instruction-probe.ts';
import { resolveRoot } from '../scope/read/root.ts';
import { textPieces } from '../scope/render.ts';
import { jsonPieces } from '../scope/render-json.ts';
import { UsageError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import { writePieces } from './output.ts';

export interface ScopeFlags {
  readonly client?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
}

/**
 * `packproof scope`: what MCP clients are told about one directory. Nothing is started and nothing written.
 *
 * Exit 0: every fixed candidate was inventoried, present or absent; 1: incomplete, or the root is not a directory.
 * @throws {UsageError} ARGUMENT_MISSING for an empty root, FLAG_VALUE for an unknown client; nothing was read
 */
export async function scopeCommand(root: string, flags: ScopeFlags): Promise<number> {
  const report = takeInventory(root, flags);
  await writePieces(flags.json === true ? jsonPieces(report) : textPieces(report));
  return report.inventoryComplete ? EXIT.passed : EXIT.candidateFailed;
}

function takeInventory(root: string, { client = DEFAULT_CLIENT, explain }: ScopeFlags): ScopeReport {
  try {
    // Before the root is resolved: an unknown client is refused before anything is read.
    profilesOf(client);
    return inventory(resolveRoot(root, isAbsolute(root) ? sep : currentFolder()), {
      client,
      explain: explain === true,
      platform: toPlatform(process.platform),
      home: homeFolder(),
      env: process.env,
      readSource,
      probeFile,
    });
  } catch (error) {
    if (error instanceof ScopeError) throw toUsageError(error, client);
    throw error;
  }
}

/** Null when it was removed under us: then nothing relative to it is there either. */
function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** Empty when it is not known: a user without HOME and without an entry in the user database has none. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

function toUsageError(error: ScopeError, client: string): UsageError {
  if (error.code === 'ROOT_EMPTY') {
    return new UsageError('ARGUMENT_MISSING', error.message, { where: error.where, cause: error });
  }
  return new UsageError('FLAG_VALUE', 'flag', {
    where: error.where,
    expected: `one of ${[...PROFILES.map(({ id }) => id), EVERY_CLIENT].join(', ')}`,
    actual: client,
    cause: error,
  });
}
