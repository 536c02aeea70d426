import type { Bundle } from '../bundle.ts';
import type { FileSource } from '../files/source.ts';
import type { Findings } from '../finding.ts';
import type { RecordedImage } from '../inputs/image.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { mayScriptsChange } from '../inputs/install-scripts.ts';
import type { InventoryLine } from '../shape/inputs.ts';
import type { Report } from '../shape/report.ts';
import type { Suite } from '../shape/suite.ts';
import { describeLine, expectBase, expectLaid, OWN_PROGRAMS } from './base.ts';
import { GivenArchives } from './given-archives.ts';
import { type Bytes, layerDigest } from './layer-form.ts';
import { LAYERS, type LayerName, PACKAGED_FOLDERS, partition } from './layers.ts';
import { Shelf } from './shelf.ts';
import { compareTree } from './tree.ts';

export interface RebuildParts {
  readonly report: Report;
  readonly inputs: Inputs;
  readonly images: readonly RecordedImage[];
  readonly run: { readonly suites: readonly Suite[] };
  /** A folder of archives from outside the bundle; null: only those that the bundle embeds. */
  readonly outside: FileSource | null;
}

/** Names in one line of what is unchecked; more are counted. */
const NAMED = 5;

/**
 * Builds the layers of every image again from the archives at hand: each file of the inventory must be one that
 * its archive explains, and each layer, written anew from those contents, must have the recorded diff id.
 *
 * Returns in words what could not be built for want of bytes; null when there was nothing to build from.
 */
export async function checkRebuilt(bundle: Bundle, parts: RebuildParts): Promise<readonly string[] | null> {
  const { findings } = bundle;
  const given = new GivenArchives(bundle, parts.outside);
  const archives = parts.inputs.manifest.archives.filter(({ role }) => role !== 'candidate');
  if (!archives.some(({ sha256 }) => given.find(sha256) !== null)) {
    if (parts.outside === null) return null;
    findings.add('ARCHIVES_NONE', '--archives', 'archives of the manifest', 'none of them');
    return [];
  }
  const unchecked: string[] = [];
  const shelf = await Shelf.open(given, parts, wantedOf(parts.images));
  if (shelf.absent.length > 0)
    unchecked.push(`files of archives that could not be read: ${nameSome(shelf.absent)}`);
  for (const image of parts.images) {
    const own = partition(image.inventory, baseFoldersOf(shelf));
    const at = `${image.folder}/inventory.ndjson`;
    checkBase(own.get('base') ?? [], { shelf, at, findings });
    checkRuntime(own.get('runtime') ?? [], { shelf, at, findings, node: image.node });
    checkSuiteFiles(own.get('archives') ?? [], { shelf, at, findings });
    if (shelf.brought !== null) {
      unchecked.push(`that the base of ${image.folder} lacked each library that was laid on it`);
    }
    unchecked.push(...checkTree(own.get('candidate') ?? [], { shelf, at, findings, parts }));
    unchecked.push(...(await checkLayers(image, own, { shelf, findings })));
  }
  return [...new Set(unchecked)];
}

function wantedOf(images: readonly RecordedImage[]): ReadonlySet<string> {
  return new Set(images.flatMap(({ inventory }) => inventory.flatMap(({ sha256 }) => sha256 ?? [])));
}

/** Folders of a root file system stay even where nothing is in them. */
function baseFoldersOf({ brought }: Shelf): readonly string[] {
  if (brought === null) return PACKAGED_FOLDERS;
  if (typeof brought.files === 'string') return [];
  return [...brought.files].flatMap(([path, what]) => (what.startsWith('directory ') ? [path] : []));
}

interface Place {
  readonly shelf: Shelf;
  readonly at: string;
  readonly findings: Findings;
}

function checkBase(lines: readonly InventoryLine[], { shelf, at, findings }: Place): void {
  const brought = shelf.brought?.files ?? new Map<string, string>();
  if (typeof brought === 'string') return;
  const expected = shelf.brought === null ? expectBase(shelf.base) : expectLaid(shelf.base, lines);
  const actual = new Map(lines.map((line) => [line.path, describeLine(line)]));
  for (const { path, kind } of lines) {
    const what = actual.get(path) ?? '';
    const own = brought.get(path);
    if (OWN_PROGRAMS.includes(path) || (kind === 'directory' && own === undefined)) continue;
    const options = own === undefined ? expected.get(path) : new Set([own]);
    if (options?.has(what) === true) continue;
    // It may be of a package that is not at hand.
    if (shelf.lacksBase && own === undefined) continue;
    const wanted = options === undefined ? 'a file of the base' : [...options].join(' or ');
    findings.add('ARCHIVE_FILE', `${at} ${path}`, wanted, what);
  }
  for (const [path, what] of brought) {
    if (!actual.has(path)) findings.add('ARCHIVE_FILE', `${at} ${path}`, what, 'nothing');
  }
}

function checkRuntime(
  lines: readonly InventoryLine[],
  { shelf, at, findings, node }: Place & { readonly node: string },
): void {
  const expected = shelf.runtimes.get(node);
  if (expected === undefined) return;
  for (const line of lines) {
    if (line.kind === 'directory') continue;
    const actual = describeLine(line);
    findings.same('ARCHIVE_FILE', `${at} ${line.path}`, expected.get(line.path) ?? 'nothing', actual);
  }
  for (const [path, what] of expected) {
    if (!lines.some((line) => line.path === path))
      findings.add('ARCHIVE_FILE', `${at} ${path}`, what, 'nothing');
  }
}

/** Files of an archive that is at hand are those that it holds, and all of them are there. */
function checkSuiteFiles(lines: readonly InventoryLine[], { shelf, at, findings }: Place): void {
  const actual = new Map(
    lines.flatMap((line) => (line.kind === 'directory' ? [] : [[line.path, describeLine(line)] as const])),
  );
  for (const { home, files } of shelf.suiteArchives) {
    const own = [...actual.keys()].filter((path) => path === home || path.startsWith(`${home}/`));
    for (const path of new Set([...files.keys(), ...own])) {
      const [wanted, found] = [files.get(path) ?? 'nothing', actual.get(path) ?? 'nothing'];
      findings.same('ARCHIVE_FILE', `${at} ${path}`, wanted, found);
    }
  }
}

/** Install scripts may have changed anything in the tree, so that after them a difference is no contradiction. */
function checkTree(
  lines: readonly InventoryLine[],
  { shelf, at, findings, parts }: Place & { readonly parts: RebuildParts },
): readonly string[] {
  const differences = compareTree(shelf.packages, lines).filter(
    ({ path, actual }) => !shelf.lackedPlaces.some((place) => concerns(place, path, actual)),
  );
  const { lock, archive } = parts.inputs;
  if (differences.length > 0 && mayScriptsChange(parts.report, lock, archive)) {
    return [`files that install scripts changed: ${nameSome(differences.map(({ path }) => path))}`];
  }
  for (const { path, expected, actual } of differences) {
    findings.add('ARCHIVE_FILE', `${at} opt/candidate/${path}`, expected, actual);
  }
  return [];
}

/** A file of the package at this place, or a link to one. */
function concerns(place: string, path: string, actual: string): boolean {
  const last = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return path.startsWith(`${place}/`) || actual.startsWith(`symlink ../${last}/`);
}

async function checkLayers(
  image: RecordedImage,
  layers: ReadonlyMap<LayerName, readonly InventoryLine[]>,
  { shelf, findings }: Pick<Place, 'shelf' | 'findings'>,
): Promise<readonly string[]> {
  const names = LAYERS.filter((layer) => layers.has(layer));
  const at = `${image.folder}/config.json diff_ids`;
  if (names.length !== image.diffIds.length) {
    findings.add('LAYER_DIGEST', at, `layers ${names.join(', ')}`, `${image.diffIds.length} layers`);
    return [];
  }
  const unchecked: string[] = [];
  for (const [index, layer] of names.entries()) {
    const lines = layers.get(layer) ?? [];
    const unread = layer === 'base' ? unreadBase(shelf) : null;
    if (unread !== null) {
      unchecked.push(`that the base layer of ${image.folder} has its diff id: ${unread}`);
      continue;
    }
    const find = ({ sha256 }: InventoryLine): Bytes | null => (sha256 === null ? null : shelf.find(sha256));
    const missing = lines.filter((line) => line.kind === 'file' && find(line) === null);
    if (missing.length > 0) {
      const names = nameSome(missing.map(({ path }) => path));
      unchecked.push(`that the ${layer} layer of ${image.folder} has its diff id: no bytes of ${names}`);
      continue;
    }
    const digest = await layerDigest(lines, find);
    findings.same('LAYER_DIGEST', `${at}[${index}]`, digest, image.diffIds[index]);
  }
  return unchecked;
}

/** Why the files of a root file system that somebody brought are not known; null when they are. */
function unreadBase({ brought }: Shelf): string | null {
  return typeof brought?.files === 'string' ? `${brought.name}: ${brought.files}` : null;
}

/** The first few in one line, and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
