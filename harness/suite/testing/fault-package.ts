import type { BinClass } from '../compiled.ts';

/** A file of a package as its archive would hold it, relative to the package. */
export type PackageFile =
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: string | Buffer }
  /** `target` is relative to the package, as `path` is; an archive adds its top folder to both of a hard link. */
  | { readonly kind: 'symlink' | 'hardlink'; readonly path: string; readonly target: string };

/** Where a fault shows: in the bytes, at install, when run anywhere, or only inside the boundary. */
export type Oracle = 'static' | 'install' | 'run' | 'boundary';

export interface ExpectedCheck {
  /** The end of the case id: `classify`, `arguments`, … or `exports.1`. */
  readonly topic: string;
  readonly check: string;
}

/**
 * A small package with one fault, or none, and what must be said of it. Tables of these are looped over:
 * through the audit (`findings`), through a real engine or a plain process (`gates`, `warns`).
 */
export interface FaultPackage {
  /** Name of package and bin. */
  readonly name: string;
  /** The class of fault, in words. */
  readonly fault: string;
  readonly oracles: readonly Oracle[];
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly files: readonly PackageFile[];
  /** Codes of the audit that must be among its findings. */
  readonly findings: readonly string[];
  /** npm refuses to install it. */
  readonly installFails: boolean;
  /** Exactly the gate checks of the generated suite that fail; empty for a good package. */
  readonly gates: readonly ExpectedCheck[];
  /** The fault shows wherever the same question is asked, so that further gates may fail; which is chance. */
  readonly spreads: boolean;
  /** Checks of lesser severity that must be among those that fail. */
  readonly warns: readonly ExpectedCheck[];
  /** What the bin is classified as; null where it is not run or does not matter. */
  readonly binClass: BinClass | null;
  /** Node versions on which it behaves so, as a semver range. */
  readonly node: string;
}

export interface PackageParts {
  readonly fault: string;
  readonly oracles: readonly Oracle[];
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Body of the bin's file after the interpreter line; null: no bin file is made. */
  readonly body?: string | null;
  /** First line of the bin's file, with its line end. */
  readonly shebang?: string;
  readonly binFile?: string;
  readonly binMode?: number;
  readonly files?: readonly PackageFile[];
  readonly findings?: readonly string[];
  readonly installFails?: boolean;
  readonly gates?: readonly string[];
  readonly spreads?: boolean;
  readonly warns?: readonly string[];
  readonly binClass?: BinClass;
  readonly node?: string;
}

export const SHEBANG = '#!/usr/bin/env node\n';

/** Builds a package around one bin of its own name. Checks are given as `topic/check`. */
export function faultPackage(name: string, parts: PackageParts): FaultPackage {
  const binFile = parts.binFile ?? 'cli.js';
  const body = parts.body === undefined ? answering() : parts.body;
  const bin: readonly PackageFile[] =
    body === null ? [] : [file(binFile, `${parts.shebang ?? SHEBANG}${body}`, parts.binMode ?? 0o755)];
  return {
    name,
    fault: parts.fault,
    oracles: parts.oracles,
    manifest: {
      name,
      version: VERSION,
      type: 'module',
      license: 'MIT',
      bin: { [name]: binFile },
      ...parts.manifest,
    },
    files: [...bin, ...(parts.files ?? [])],
    findings: parts.findings ?? [],
    installFails: parts.installFails ?? false,
    gates: (parts.gates ?? []).map(toExpected),
    spreads: parts.spreads ?? false,
    warns: (parts.warns ?? []).map(toExpected),
    binClass: parts.binClass ?? null,
    node: parts.node ?? '>=20',
  };
}

function toExpected(text: string): ExpectedCheck {
  const slash = text.indexOf('/');
  return { topic: text.slice(0, slash), check: text.slice(slash + 1) };
}

export function file(path: string, content: string | Buffer, mode = 0o644): PackageFile {
  return { kind: 'file', path, mode, content };
}

export const VERSION = '1.2.3';

export interface AnswerOptions {
  /** Runs first. */
  readonly before?: string;
  readonly onHelp?: string;
  readonly onVersion?: string;
  readonly onBare?: string;
  readonly onUnknown?: string;
}

/** A well-behaved program with one or more of its parts replaced. */
export function answering(options: AnswerOptions = {}): string {
  return `import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
const own = JSON.parse(readFileSync(fileURLToPath(new URL('./package.json', import.meta.url)), 'utf8'));
const usage = 'Usage: ' + own.name + ' [options]\\n\\nOptions:\\n  --help     show this text\\n  --version  show the version';
${options.before ?? ''}
const [flag] = process.argv.slice(2);
if (flag === '--version') {
  ${options.onVersion ?? 'console.log(own.version);'}
} else if (flag === '--help') {
  ${options.onHelp ?? 'console.log(usage);'}
} else if (flag === undefined) {
  ${options.onBare ?? 'console.log("nothing to do; try --help");'}
} else {
  ${options.onUnknown ?? "console.error('error: unknown option ' + flag); process.exitCode = 2;"}
}
`;
}

/** The same in CommonJS, for packages of that kind. */
export function answeringCommonJs(before: string): string {
  return `${before}
const own = require('node:fs').readFileSync(require('node:path').join(__dirname, 'package.json'), 'utf8');
const [flag] = process.argv.slice(2);
if (flag === '--version') console.log(JSON.parse(own).version);
else if (flag === '--help') console.log('Usage: cli [options]');
else if (flag === undefined) console.log('nothing to do; try --help');
else { console.error('error: unknown option ' + flag); process.exitCode = 2; }
`;
}
