import type { CompiledCase, CompiledFile } from '../../../suite/compiled.ts';
import { USUAL_CASE } from '../../../suite/usual-case.ts';
import { SERVER_PATH, SERVER_TEXT } from './drivers.ts';

/** Stand in every value that must not leave; the environment's one would come out of an expanded placeholder. */
export const CANARIES = {
  // A path that works, spelled as nothing else spells it.
  command: '/usr/local/../local/bin/node',
  arg: 'canary-arg-51c7',
  env: 'canary-env-51c7',
  header: 'canary-header-51c7',
  url: 'canary-url-51c7',
  instruction: 'canary-instruction-51c7',
  rootField: 'canary-root-field-51c7',
  expanded: 'canary-expanded-51c7',
} as const;

export const PROJECT = '/work/project';
export const HOME = '/home/node';

/** A file's text, or what lies in its place. */
export type Laid =
  | string
  | Uint8Array
  | { readonly mode: string; readonly text: string }
  | { readonly link: string }
  | { readonly folder: string }
  | { readonly fifo: true };

const OWNERS = { root: { uid: 0, gid: 0 }, other: { uid: 1001, gid: 1001 } } as const;

export interface ScopeCase {
  readonly id: string;
  readonly why: string;
  readonly files: Readonly<Record<string, Laid>>;
  /** Whose entries are; those of no other are the candidate's own. */
  readonly owners?: Readonly<Record<string, keyof typeof OWNERS>>;
  /** After `packproof scope`; default: the project. */
  readonly argv?: readonly string[];
  readonly cwd?: string;
  /** Variables of the inventory's steps that differ; null: not set at all. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly exit: 0 | 1 | 2;
  /** Default: a report. Help is the same text in both forms. */
  readonly output?: 'report' | 'help';
  /** Another case of the suite whose outputs these must be, byte for byte. */
  readonly sameAs?: string;
  /** Patterns (RE2) that the JSON document must have, and must not have. */
  readonly json?: readonly string[];
  readonly noJson?: readonly string[];
  /** Patterns that the human output must have, and must not have. */
  readonly text?: readonly string[];
  readonly noText?: readonly string[];
}

/** A case that has its files and does nothing yet. */
export function emptyCase({
  id,
  why,
  files,
  owners = {},
}: Pick<ScopeCase, 'id' | 'why' | 'files' | 'owners'>): CompiledCase {
  const folders = new Set(['/work/bin', PROJECT]);
  const laid = { [SERVER_PATH]: SERVER_TEXT, ...files };
  for (const path of Object.keys(laid)) addFolders(path, folders);
  return {
    id,
    why,
    tags: ['scope'],
    ...USUAL_CASE,
    node: 'first',
    settleMs: 500,
    files: [
      ...[...folders].sort().map((path): CompiledFile => ({ kind: 'directory', path, mode: '0755' })),
      ...Object.entries(laid).map(([path, file]) => toFile(path, file)),
      ...Object.entries(owners).map(
        ([path, owner]): CompiledFile => ({ kind: 'owner', path, ...OWNERS[owner] }),
      ),
    ],
    steps: [],
    checks: [],
  };
}

function addFolders(path: string, folders: Set<string>): void {
  for (let folder = path; ; ) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    if (['', '/work', '/home', HOME, '/tmp'].includes(folder)) return;
    folders.add(folder);
  }
}

function toFile(path: string, laid: Laid): CompiledFile {
  if (typeof laid === 'string' || laid instanceof Uint8Array) {
    return { kind: 'file', path, mode: '0644', contentBase64: Buffer.from(laid).toString('base64') };
  }
  if ('link' in laid) return { kind: 'symlink', path, target: laid.link };
  if ('folder' in laid) return { kind: 'directory', path, mode: laid.folder };
  if ('fifo' in laid) return { kind: 'fifo', path, mode: '0644' };
  return { kind: 'file', path, mode: laid.mode, contentBase64: Buffer.from(laid.text).toString('base64') };
}
