import { readExceptions } from '../cases/exceptions.ts';
import type { Findings } from '../finding.ts';
import type { InventoryLine, Manifest } from '../shape/inputs.ts';
import type { Report } from '../shape/report.ts';
import type { Suite } from '../shape/suite.ts';
import type { SuiteArchive } from '../shape/suite-archive.ts';
import type { RecordedImage } from './image.ts';

/** Where archives of suites lie in an image. */
export const ARCHIVES_PREFIX = 'opt/archives';
const READ_ONLY = ['0444', '0555'];

/** The archives that some case which is not excluded runs, by name. */
export function neededArchives(suites: readonly Suite[]): ReadonlyMap<string, SuiteArchive> {
  const needed = new Map<string, SuiteArchive>();
  for (const suite of suites) {
    const { excluded } = readExceptions(suite);
    const used = new Set(
      suite.cases.flatMap(({ id, references }) =>
        excluded.has(id) ? [] : references.map(({ archive }) => archive),
      ),
    );
    for (const archive of suite.archives) if (used.has(archive.name)) needed.set(archive.name, archive);
  }
  return needed;
}

/**
 * The archives of the manifest are those that the suites need, with the same digest and size, and nothing but theirs
 * lies in their part of an image.
 */
export function checkSuiteArchives(
  parts: {
    readonly suites: readonly Suite[];
    readonly manifest: Manifest;
    readonly report: Report;
    readonly images: readonly RecordedImage[];
  },
  findings: Findings,
): void {
  const { suites, manifest, report, images } = parts;
  const needed = neededArchives(suites);
  const listed = manifest.archives.filter(({ role }) => role === 'suite');
  for (const { name, sha256, sizeBytes } of listed) {
    const at = `inputs/manifest.json suite ${name}`;
    const archive = needed.get(name);
    if (archive === undefined) findings.add('SUITE_ARCHIVE', at, 'an archive that a case runs', 'none');
    else {
      findings.same('SUITE_ARCHIVE', `${at}.sha256`, archive.sha256, sha256);
      findings.same('SUITE_ARCHIVE', `${at}.sizeBytes`, archive.sizeBytes, sizeBytes);
    }
  }
  for (const name of report.blocked === null ? needed.keys() : []) {
    if (listed.some((one) => one.name === name)) continue;
    findings.add('SUITE_ARCHIVE', 'inputs/manifest.json', `the archive ${name} of a suite`, 'none');
  }
  for (const { folder, inventory } of images) {
    checkPlaces(inventory, needed, `${folder}/inventory.ndjson`, findings);
  }
}

function checkPlaces(
  inventory: readonly InventoryLine[],
  needed: ReadonlyMap<string, SuiteArchive>,
  at: string,
  findings: Findings,
): void {
  const filled = new Set<string>();
  for (const line of inventory) {
    if (!line.path.startsWith(`${ARCHIVES_PREFIX}/`)) continue;
    const [name = '', ...below] = line.path.slice(ARCHIVES_PREFIX.length + 1).split('/');
    const archive = needed.get(name);
    const actual = `${line.kind} ${line.mode} ${line.sizeBytes} ${line.sha256 ?? ''}`.trim();
    const add = (expected: string): void =>
      findings.add('INVENTORY_ARCHIVE', `${at} ${line.path}`, expected, actual);
    if (archive === undefined) {
      add('nothing but the archives of suites');
      continue;
    }
    if (line.kind !== 'directory') filled.add(name);
    if (archive.unpack === 'none') {
      const expected = `file 0555 ${archive.sizeBytes} ${archive.sha256}`;
      if (below.length > 0 || actual !== expected) add(expected);
    } else if (
      (line.kind === 'file' && !READ_ONLY.includes(line.mode)) ||
      (below.length === 0 && line.kind !== 'directory')
    ) {
      add('a file that nobody writes, below a folder of the archive');
    }
  }
  for (const name of needed.keys()) {
    if (filled.has(name)) continue;
    findings.add('INVENTORY_ARCHIVE', `${at} ${ARCHIVES_PREFIX}/${name}`, 'the archive', 'nothing');
  }
}
