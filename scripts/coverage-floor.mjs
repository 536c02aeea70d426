#!/usr/bin/env node
// Reads c8's summary and holds the folders that the product exists for to their floor of covered lines.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const FLOOR_PERCENT = 90;
const FOLDERS = ['audit', 'prepare', 'image', 'evidence'];

const summary = JSON.parse(readFileSync(process.argv[2] ?? 'coverage/coverage-summary.json', 'utf8'));
let low = false;
for (const folder of FOLDERS) {
  let total = 0;
  let covered = 0;
  for (const [file, entry] of Object.entries(summary)) {
    if (!relative(process.cwd(), file).startsWith(`harness/${folder}/`)) continue;
    total += entry.lines.total;
    covered += entry.lines.covered;
  }
  const percent = total === 0 ? 0 : (100 * covered) / total;
  console.log(
    `coverage harness/${folder}: ${percent.toFixed(1)} % of ${total} lines (floor ${FLOOR_PERCENT} %)`,
  );
  if (percent < FLOOR_PERCENT) low = true;
}
process.exitCode = low ? 1 : 0;
