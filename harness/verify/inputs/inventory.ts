import { posix } from 'node:path';
import type { Findings } from '../finding.ts';
import { folderOf } from '../path-text.ts';
import type { InventoryLine, Transform } from '../shape/inputs.ts';
import type { Bins } from './bins.ts';
import type { ExpectedPackage } from './expected-package.ts';
import type { TreeChanges } from './install-scripts.ts';

const PREFIX = 'opt/candidate';
const GLOBAL = `${PREFIX}/global`;

/** An inventory in byte order: each path once, its parent a directory, its mode one that an image has. */
export function checkInventoryForm(lines: readonly InventoryLine[], at: string, findings: Findings): void {
  const directories = new Set<string>();
  let previous: Buffer | null = null;
  for (const [index, { path, kind, mode }] of lines.entries()) {
    const bytes = Buffer.from(path);
    if (previous !== null && Buffer.compare(previous, bytes) >= 0) {
      findings.add('INVENTORY_ORDER', `${at}:${index + 1}`, `after ${previous.toString()}`, path);
    }
    previous = bytes;
    if (kind === 'directory') directories.add(path);
    const parent = folderOf(path);
    const isPlain = path !== '' && path.split('/').every((part) => !['', '.', '..'].includes(part));
    if (!isPlain || (parent !== '' && !directories.has(parent))) {
      findings.add('INVENTORY_ENTRY', `${at}:${index + 1}`, 'a plain path below a directory', path);
    }
    const modes = kind === 'symlink' ? ['0777'] : ['0644', '0755', '1777', '0555', '0444'];
    if (!modes.includes(mode))
      findings.add('INVENTORY_ENTRY', `${at}:${index + 1}.mode`, modes.join(' or '), mode);
  }
}

export interface InstalledCandidate {
  readonly name: string;
  readonly bins: Bins;
  readonly expected: ExpectedPackage;
  /** Bins of other packages directly in the tree, which may have claimed a link first. */
  readonly otherBins: ReadonlySet<string>;
}

/**
 * The candidate's files in an image are those of its archive, changed by the closed list of transforms and by
 * nothing else; its global copy is the same once more; its bins are linked.
 *
 * Packages inside the candidate's own `node_modules` come from archives that are not embedded.
 */
export function checkCandidateFiles(
  lines: readonly InventoryLine[],
  candidate: InstalledCandidate,
  at: string,
  { findings, changes }: { readonly findings: Findings; readonly changes: TreeChanges },
): void {
  const byPath = new Map(lines.map((line) => [line.path, line]));
  const home = `node_modules/${candidate.name}`;
  checkOwnFiles(byPath, { home, at }, candidate.expected, changes);
  checkGlobalCopy(byPath, home, at, findings);
  const exists = (target: string): boolean => {
    const path = `${PREFIX}/${home}/${target}`;
    return byPath.has(path);
  };
  for (const [name, target] of candidate.bins) {
    if (!exists(target)) continue;
    const local = posix.relative('node_modules/.bin', `${home}/${target}`);
    const path = `node_modules/.bin/${name}`;
    if (!candidate.otherBins.has(name)) {
      const found = linkAt(byPath, `${PREFIX}/${path}`);
      const place = { at: `${at} ${PREFIX}/${path}`, path };
      changes.same('INVENTORY_CANDIDATE', place, { expected: local, actual: found });
    }
    const global = posix.relative('bin', `lib/${home}/${target}`);
    const globalLink = linkAt(byPath, `${GLOBAL}/bin/${name}`);
    findings.same('INVENTORY_CANDIDATE', `${at} ${GLOBAL}/bin/${name}`, global, globalLink);
  }
}

function linkAt(byPath: ReadonlyMap<string, InventoryLine>, path: string): string {
  const line = byPath.get(path);
  return line?.kind === 'symlink' ? line.target : 'nothing';
}

function checkOwnFiles(
  byPath: ReadonlyMap<string, InventoryLine>,
  { home, at }: { readonly home: string; readonly at: string },
  { files }: ExpectedPackage,
  changes: TreeChanges,
): void {
  const own = `${home}/`;
  const inner = `${own}node_modules/`;
  const same = (path: string, expected: string, actual: string): void =>
    changes.same('INVENTORY_CANDIDATE', { at: `${at} ${PREFIX}/${path}`, path }, { expected, actual });
  for (const [path, { mode, sizeBytes, sha256 }] of files) {
    if (path.startsWith(inner)) continue;
    const line = byPath.get(`${PREFIX}/${path}`);
    same(path, `file ${mode} ${sizeBytes} ${sha256}`, line === undefined ? 'nothing' : describe(line));
  }
  for (const line of byPath.values()) {
    const path = line.path.slice(PREFIX.length + 1);
    const isOwn = line.path.startsWith(`${PREFIX}/${own}`) && !path.startsWith(inner);
    if (isOwn && line.kind !== 'directory' && !files.has(path))
      same(path, 'a file of the archive', describe(line));
  }
}

/** Both copies are compared, but for the links that lead the global one to the packages of the tree. */
function checkGlobalCopy(
  byPath: ReadonlyMap<string, InventoryLine>,
  home: string,
  at: string,
  findings: Findings,
): void {
  const local = `${PREFIX}/${home}/`;
  const copy = `${GLOBAL}/lib/${home}/`;
  for (const line of byPath.values()) {
    if (line.path.startsWith(local)) {
      const twin = byPath.get(copy + line.path.slice(local.length));
      const found = twin === undefined ? 'nothing' : describe(twin);
      findings.same(
        'INVENTORY_CANDIDATE',
        `${at} ${copy}${line.path.slice(local.length)}`,
        describe(line),
        found,
      );
    } else if (line.path.startsWith(copy)) {
      const rest = line.path.slice(copy.length);
      const leads =
        line.kind === 'symlink' && /^node_modules(\/|$)/.test(rest) && line.target === `/${PREFIX}/${rest}`;
      const isFolder = line.kind === 'directory' && /^node_modules(\/|$)/.test(rest);
      if (!byPath.has(local + rest) && !leads && !isFolder) {
        findings.add(
          'INVENTORY_CANDIDATE',
          `${at} ${line.path}`,
          `a copy of ${local}${rest}`,
          describe(line),
        );
      }
    }
  }
}

function describe({ kind, mode, sizeBytes, sha256, target }: InventoryLine): string {
  if (kind === 'symlink') return `symlink ${target}`;
  return kind === 'file' ? `file ${mode} ${sizeBytes} ${sha256}` : `directory ${mode}`;
}

/** The transforms that a read-back tells of the candidate are those that its archive explains. */
export function checkTransforms(
  told: readonly Transform[],
  candidate: InstalledCandidate,
  at: string,
  findings: Findings,
): void {
  const home = `node_modules/${candidate.name}/`;
  const isOwn = ({ path }: Transform): boolean =>
    path.startsWith(home) && !path.startsWith(`${home}node_modules/`);
  const text = (transforms: readonly Transform[]): readonly string[] =>
    transforms
      .filter(isOwn)
      .map(({ kind, path, before, after }) => `${kind} ${path} ${before} ${after}`)
      .sort();
  const [expected, actual] = [text(candidate.expected.transforms), text(told)];
  for (let index = 0; index < Math.max(expected.length, actual.length); index += 1) {
    if (expected[index] === actual[index]) continue;
    findings.add(
      'INVENTORY_TRANSFORM',
      at,
      expected[index] ?? 'no further transform',
      actual[index] ?? 'nothing',
    );
    return;
  }
}

/**
 * What a read-back tells of transforms agrees with the inventory: each link of the tree that leads to the
 * candidate is one that was told, bins are executable, rewritten and renamed files are there. What differs where
 * scripts ran counts as changed by them.
 */
export function checkTreeTransforms(
  told: readonly Transform[],
  { lines, name }: { readonly lines: readonly InventoryLine[]; readonly name: string },
  at: string,
  { findings, changes }: { readonly findings: Findings; readonly changes: TreeChanges },
): void {
  const byPath = new Map(lines.map((line) => [line.path, line]));
  const tree = `${PREFIX}/node_modules/`;
  const links = new Map<string, string | null>();
  for (const { kind, path, before, after } of told) {
    const line = byPath.get(`${PREFIX}/${path}`);
    const where = `${at} ${kind} ${path}`;
    const same = (actual: string): void =>
      changes.same('INVENTORY_TRANSFORM', { at: where, path }, { expected: after, actual });
    if (kind === 'bin-link') {
      if (before !== null) findings.add('INVENTORY_TRANSFORM', where, after, before);
      links.set(`${PREFIX}/${path}`, after);
    } else if (kind === 'bin-mode') same(line?.mode ?? 'nothing');
    else if (kind === 'crlf-shebang') same(line?.sha256 ?? 'nothing');
    else if (kind === 'renamed' && after !== null && !byPath.has(`${PREFIX}/${after}`)) same('nothing');
  }
  const sameLink = (path: string, expected: string | null, actual: string): void => {
    const place = { at: `${at} ${path}`, path: path.slice(PREFIX.length + 1) };
    changes.same('INVENTORY_TRANSFORM', place, { expected, actual });
  };
  for (const line of lines) {
    if (line.kind !== 'symlink' || !line.path.startsWith(tree)) continue;
    const leadsTo = posix.join(posix.dirname(line.path), line.target);
    const expected = links.get(line.path);
    if (expected === undefined && !leadsTo.startsWith(`${tree}${name}/`)) continue;
    sameLink(line.path, expected ?? 'no link', line.target);
    links.delete(line.path);
  }
  for (const [path, target] of links) sameLink(path, target, 'nothing');
}
