import type { ArchiveEntry } from '../archive/entry.ts';
import { toModeText } from '../archive/kinds.ts';
import type { FindingCode } from '../catalogue/catalogue.ts';
import { scanModule } from '../imports/module-scan.ts';
import {
  capList,
  describe,
  leavesPackage,
  type ManifestContext,
  placeOf,
  readNestedText,
  reportField,
  toPlainPath,
} from './context.ts';
import type { BinFact } from './facts.ts';
import { listInstallCommands } from './scripts.ts';
import { readStart, type Start } from './shebang.ts';
import { isJsonObject, type JsonValue } from './strict-json.ts';

/** A command whose file is there, and how it starts. */
export interface CheckedBin extends BinFact {
  readonly start: Start;
}

/** Commands that everything else relies on. */
const BASIC_TOOLS = new Set(
  'node npm npx corepack sh bash dash zsh env git sudo su ssh scp curl wget cat cp mv rm ls cd tar gzip chmod chown make python python3 perl'.split(
    ' ',
  ),
);

/** The package that owns a basic name may install it. */
const OWNERS: Readonly<Record<string, string>> = {
  npm: 'npm',
  npx: 'npm',
  corepack: 'corepack',
  node: 'node',
};

/** The bytes that decide how a file starts. */
const START_BYTES = 8 * 1024;

/** All commands as declared, and those of them whose file is in the archive. */
export interface Bins {
  readonly declared: readonly BinFact[];
  readonly checked: readonly CheckedBin[];
}

/** Checks every command. */
export function checkBins(context: ManifestContext, name: string | null): Bins {
  const declared = context.manifest.has('bin')
    ? readDeclared(context, name)
    : readFolderBins(context, readNestedText(context, 'directories', 'bin'));
  if (declared.length === 0) {
    context.findings.add('BIN_NONE', placeOf('bin'), { expected: 'a command', actual: 'none' });
  }
  const checked: CheckedBin[] = [];
  for (const bin of declared) {
    checkBinName(context, bin, name);
    const entry = findTarget(context, bin);
    if (entry !== null) checked.push({ ...bin, start: checkTarget(context, bin, entry) });
  }
  return { declared, checked };
}

function readDeclared(context: ManifestContext, name: string | null): readonly BinFact[] {
  const value = context.manifest.get('bin');
  // Without a name npm drops the command; the missing name is told elsewhere.
  if (typeof value === 'string') return name === null ? [] : readBin(context, 'bin', [name, value]);
  if (Array.isArray(value)) {
    const paths = capList(context, '/bin', value);
    return paths.flatMap((path: JsonValue) => {
      const text = typeof path === 'string' ? path : '';
      return readBin(context, 'bin', [text.split(/[/\\]/).at(-1) ?? '', path]);
    });
  }
  if (!isJsonObject(value)) {
    if (value !== null && value !== undefined && value !== false)
      reportField(context, '/bin', 'a path', value);
    return [];
  }
  const members = capList(context, '/bin', [...value]);
  return members.flatMap((member) => readBin(context, 'bin', member));
}

/** npm links every file of the folder under its base name when there is no `bin`. */
function readFolderBins(context: ManifestContext, folder: string | null): readonly BinFact[] {
  if (folder === null || leavesPackage(folder)) return [];
  const prefix = `${toPlainPath(folder)}/`;
  const paths = [...context.files.paths()].filter(
    (path) => path.startsWith(prefix) && !path.split('/').some((part) => part.startsWith('.')),
  );
  return capList(context, '/directories/bin', paths.sort()).map((path) => ({
    name: path.split('/').at(-1) ?? '',
    path,
    declaredBy: 'directories.bin',
  }));
}

/** Normalises one declared command as npm does: base name of the key, plain form of the path. */
function readBin(
  context: ManifestContext,
  field: string,
  [key, value]: readonly [string, JsonValue],
): readonly BinFact[] {
  const place = placeOf(field, key);
  const isScoped = /^@[^/]+\/[^/]+$/.test(key);
  const base = key.split(/[/\\:]/).at(-1) ?? '';
  const { findings } = context;
  if (!isScoped && (base !== key || base === '' || base === '.' || base === '..')) {
    findings.add('BIN_NAME_ESCAPES', place, { expected: 'a plain name', actual: key });
    return [];
  }
  const path = typeof value === 'string' ? toPlainPath(value) : '';
  if (typeof value !== 'string' || (path === '' && !leavesPackage(value))) {
    findings.add('BIN_INVALID', place, { expected: 'a path', actual: describe(value) });
    return [];
  }
  if (leavesPackage(value)) {
    findings.add('BIN_TARGET_OUTSIDE', place, { expected: 'a path in the package', actual: value });
    return [];
  }
  if (path !== value) findings.add('BIN_PATH_PREFIX', place, { expected: path, actual: value });
  return [{ name: base, path, declaredBy: 'bin' }];
}

function checkBinName(context: ManifestContext, bin: BinFact, packageName: string | null): void {
  const place = placeOf('bin', bin.name);
  if (!/^[A-Za-z0-9._@+-]+$/.test(bin.name) || bin.name.startsWith('-')) {
    context.findings.add('BIN_NAME_ODD', place, { expected: 'letters, digits, . _ - +', actual: bin.name });
  }
  const isOwner = packageName !== null && OWNERS[bin.name] === packageName;
  if (BASIC_TOOLS.has(bin.name) && !isOwner) {
    context.findings.add('BIN_NAME_CLASH', place, { expected: 'a name of its own', actual: bin.name });
  }
}

function findTarget(context: ManifestContext, bin: BinFact): ArchiveEntry | null {
  const { files } = context;
  const entry = files.get(bin.path);
  if (entry !== undefined) return entry;
  const special = files.getSpecial(bin.path);
  const spelling = files.findOtherSpelling(bin.path);
  if (special !== undefined) reportTarget(context, bin, ['BIN_TARGET_LINK', `a ${special.kind}`]);
  else if (files.hasFolder(bin.path)) reportTarget(context, bin, ['BIN_TARGET_FOLDER', 'a folder']);
  else if (spelling !== undefined) reportTarget(context, bin, ['BIN_TARGET_CASE', spelling]);
  else reportTarget(context, bin, ['BIN_TARGET_MISSING', 'nothing']);
  return null;
}

function reportTarget(
  context: ManifestContext,
  bin: BinFact,
  [code, actual]: readonly [FindingCode, string],
): void {
  context.findings.add(code, placeOf('bin', bin.name), {
    expected: context.files.toArchivePath(bin.path),
    actual,
  });
}

function checkTarget(context: ManifestContext, bin: BinFact, entry: ArchiveEntry): Start {
  const start = readStart(context.read(entry).subarray(0, START_BYTES));
  const place = context.files.toArchivePath(bin.path);
  const { findings } = context;
  if (entry.sizeBytes === 0) {
    findings.add('BIN_EMPTY', place, { expected: 'a program', actual: '0 bytes' });
  } else if (start.code !== null) {
    const code = isPlaceholder(context, entry, start) ? 'BIN_PLACEHOLDER' : start.code;
    findings.add(code, place, { expected: '#!/usr/bin/env node', actual: start.line });
  }
  const actual = toModeText(entry.mode);
  if ((entry.mode & 0o111) === 0) {
    findings.add('BIN_NOT_EXECUTABLE', place, { expected: '0755', actual });
  } else if ((entry.mode & 0o200) === 0) {
    findings.add('BIN_READ_ONLY', place, { expected: '0755', actual });
  }
  return start;
}

/** Bytes of a placeholder; it holds a sentence for people whose install scripts did not run. */
const PLACEHOLDER_BYTES = 16 * 1024;

/** A small file that loads nothing, in a package whose install script can put the program in its place. */
function isPlaceholder(context: ManifestContext, entry: ArchiveEntry, start: Start): boolean {
  if (start.code !== 'BIN_SHEBANG_MISSING' || entry.sizeBytes > PLACEHOLDER_BYTES) return false;
  if (listInstallCommands(context.manifest).length === 0) return false;
  const scan = scanModule(context.read(entry).toString('utf8'));
  return scan.uses.length === 0 && !scan.isEsModule && !scan.usesCommonJs;
}
