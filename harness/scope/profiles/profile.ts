import type { ParserName } from '../parse/parsed.ts';

/** The operating systems that the tables know. Others are read with the table of `linux`. */
export type Platform = 'darwin' | 'linux' | 'win32';

/**
 * Where a path starts. `app-data` is %APPDATA% with the home fallback, `program-data` is %ProgramData% with
 * its usual place; both exist on Windows only. `fixed` paths are absolute as written.
 */
export type PathBase = 'root' | 'home' | 'app-data' | 'program-data' | 'fixed';

export interface PathTemplate {
  readonly base: PathBase;
  /** Components after the base, separated by `/` on every platform. */
  readonly path: string;
}

/** Null where the client documents no such file. */
export type PlatformPaths = Readonly<Record<Platform, PathTemplate | null>>;

/** Where a row's fact was read, and the day on which it was last compared with that place. */
export interface Fact {
  readonly source: string;
  /** `YYYY-MM-DD`. */
  readonly checkedAt: string;
}

/**
 * Where the servers of a document are. `key`: one root field. `project-key`: the record of the selected
 * directory in a root field. `wrapped-or-bare`: the field when the root has it as its own, else every root
 * field is a server. A root field named in `foreign` belongs to another client's format: beside the right
 * container, or instead of it, nobody can say which was meant. `key-or-inner`: the servers are in the field, or
 * since a later version in its own field `inner`; servers at both levels are again nobody's to choose from.
 */
export type Container =
  | { readonly kind: 'key'; readonly key: string; readonly foreign: readonly string[] }
  | { readonly kind: 'project-key'; readonly projects: string; readonly key: string }
  | { readonly kind: 'wrapped-or-bare'; readonly key: string; readonly foreign: readonly string[] }
  | {
      readonly kind: 'key-or-inner';
      readonly key: string;
      readonly inner: string;
      readonly foreign: readonly string[];
    };

/** The field names and value kinds of one client's server entries, as far as they are looked at. */
export interface EntryShape {
  /** `text`: one string. `argv`: a list of strings, the arguments included. */
  readonly command: { readonly field: string; readonly form: 'text' | 'argv' };
  readonly args: string | null;
  readonly env: { readonly field: string; readonly values: 'text' | 'text-number-null' };
  readonly urls: readonly string[];
  readonly textFields: readonly string[];
  readonly flagFields: readonly string[];
  readonly numberFields: readonly string[];
  readonly textListFields: readonly string[];
  readonly textMapFields: readonly string[];
}

/** One place where servers can be declared. */
export interface SourceRow {
  /** Unique in the profile. */
  readonly origin: string;
  readonly scope: 'local' | 'project' | 'user' | 'managed';
  readonly paths: PlatformPaths;
  readonly format: string;
  readonly parser: ParserName;
  readonly container: Container;
  readonly entry: EntryShape;
  readonly fact: Fact;
}

/** Instruction files: metadata only. `ancestors` asks at the root and in every folder above it. */
export type InstructionRow =
  | { readonly at: 'ancestors'; readonly path: string; readonly fact: Fact }
  | { readonly at: 'user' | 'managed'; readonly paths: PlatformPaths; readonly fact: Fact };

/** One client as data. Adding a client is one such value, its line in `profiles.ts` and a fixture. */
export interface ClientProfile {
  readonly id: string;
  readonly title: string;
  /**
   * Origins from the strongest to the weakest where the client documents an order for equal names, else null.
   * Origins of one inner list have no documented order among themselves.
   */
  readonly precedence: readonly (readonly string[])[] | null;
  readonly sources: readonly SourceRow[];
  readonly instructions: readonly InstructionRow[];
  /** What this client may read beyond the rows; each a sentence without names of the user's. */
  readonly limits: readonly string[];
}

/** The same path below the same base on every platform. */
export function everywhere(base: PathBase, path: string): PlatformPaths {
  const template: PathTemplate = { base, path };
  return { darwin: template, linux: template, win32: template };
}

/** A row for each file name that is looked for at the root and in every folder above it. */
export function atAncestors(paths: readonly string[], fact: Fact): readonly InstructionRow[] {
  return paths.map((path) => ({ at: 'ancestors', path, fact }));
}
