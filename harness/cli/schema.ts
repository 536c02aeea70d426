import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot, readAsset } from '../document/assets.ts';
import { UsageError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import { writeResult } from './output.ts';

const ENDING = '.schema.json';

/**
 * `packproof schema`: prints one of the schemas that travel with packproof, byte for byte, or the names of all.
 *
 * @throws {UsageError} SCHEMA_UNKNOWN, with the names that there are
 */
export async function schemaCommand(name: string | undefined): Promise<number> {
  const names = await listNames();
  if (name === undefined) {
    await writeResult(names.map((one) => `${one}\n`).join(''));
    return EXIT.passed;
  }
  const known = names.find((one) => one === name);
  if (known === undefined) {
    throw new UsageError('SCHEMA_UNKNOWN', 'schema', {
      where: name,
      expected: `one of ${names.join(', ')}`,
      actual: 'none of them',
    });
  }
  await writeResult(readAsset(`evidence-schema/${known}${ENDING}`).toString('utf8'));
  return EXIT.passed;
}

async function listNames(): Promise<readonly string[]> {
  const files = await readdir(join(packageRoot(), 'evidence-schema'));
  return files
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}
