import { posix } from 'node:path';
import type { Findings } from '../finding.ts';
import type { InventoryLine, Transform } from '../shape/inputs.ts';
import type { Bins } from './bins.ts';
import type { ExpectedPackage } from './expected-package.ts';

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
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
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
  findings: Findings,
): void {
  const byPath = new Map(lines.map((line) => [line.path, line]));
  const home = `node_modules/${candidate.name}`;
  checkOwnFiles(byPath, home, candidate.expected, at, findings);
  checkGlobalCopy(byPath, home, at, findings);
  const exists = (target: string): boolean => {
    const path = `${PREFIX}/${home}/${target}`;
    return byPath.has(path);
  };
  for (const [name, target] of candidate.bins) {
    if (!exists(target)) continue;
    const local = posix.relative('node_modules/.bin', `${home}/${target}`);
    const found = linkAt(byPath, `${PREFIX}/node_modules/.bin/${name}`);
    if (found !== local && !candidate.otherBins.has(name)) {
      findings.add('INVENTORY_CANDIDATE', `${at} ${PREFIX}/node_modules/.bin/${name}`, local, found);
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
  home: string,
  { files }: ExpectedPackage,
  at: string,
  findings: Findings,
): void {
  const own = `${PREFIX}/${home}/`;
  const inner = `${own}node_modules/`;
  for (const [path, { mode, sizeBytes, sha256 }] of files) {
    const full = `${PREFIX}/${path}`;
    if (full.startsWith(inner)) continue;
    const line = byPath.get(full);
    const found = line === undefined ? 'nothing' : describe(line);
    findings.same('INVENTORY_CANDIDATE', `${at} ${full}`, `file ${mode} ${sizeBytes} ${sha256}`, found);
  }
  for (const line of byPath.values()) {
    if (!line.path.startsWith(own) || line.path.startsWith(inner) || line.kind === 'directory') continue;
    if (!files.has(line.path.slice(PREFIX.length + 1))) {
      findings.add('INVENTORY_CANDIDATE', `${at} ${line.path}`, 'a file of the archive', describe(line));
    }
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
 * candidate is one that was told, bins are executable, rewritten and renamed files are there.
 */
export function checkTreeTransforms(
  told: readonly Transform[],
  { lines, name }: { readonly lines: readonly InventoryLine[]; readonly name: string },
  at: string,
  findings: Findings,
): void {
  const byPath = new Map(lines.map((line) => [line.path, line]));
  const tree = `${PREFIX}/node_modules/`;
  const links = new Map<string, string | null>();
  for (const { kind, path, before, after } of told) {
    const line = byPath.get(`${PREFIX}/${path}`);
    const add = (actual: string): void =>
      findings.add('INVENTORY_TRANSFORM', `${at} ${kind} ${path}`, after, actual);
    if (kind === 'bin-link') {
      if (before !== null) add(before);
      links.set(`${PREFIX}/${path}`, after);
    } else if (kind === 'bin-mode' && line?.mode !== after) add(line?.mode ?? 'nothing');
    else if (kind === 'crlf-shebang' && line?.sha256 !== after) add(line?.sha256 ?? 'nothing');
    else if (kind === 'renamed' && after !== null && !byPath.has(`${PREFIX}/${after}`)) add('nothing');
  }
  for (const line of lines) {
    if (line.kind !== 'symlink' || !line.path.startsWith(tree)) continue;
    const leadsTo = posix.join(posix.dirname(line.path), line.target);
    const expected = links.get(line.path);
    if (expected === undefined && !leadsTo.startsWith(`${tree}${name}/`)) continue;
    findings.same('INVENTORY_TRANSFORM', `${at} ${line.path}`, expected ?? 'no link', line.target);
    links.delete(line.path);
  }
  for (const [path, target] of links) findings.add('INVENTORY_TRANSFORM', `${at} ${path}`, target, 'nothing');
}
