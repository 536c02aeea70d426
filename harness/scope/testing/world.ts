import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inventory } from '../inventory.ts';
import type { InstructionReport, ScopeReport, ServerReport, SourceReport } from '../model.ts';
import type { Platform } from '../profiles/profile.ts';
import { readSource } from '../read/bounded-reader.ts';
import { probeFile } from '../read/instruction-probe.ts';
import { resolveRoot } from '../read/root.ts';
import { textPieces } from '../render.ts';
import { jsonPieces } from '../render-json.ts';

export interface RunOptions {
  readonly client?: string;
  readonly explain?: boolean;
  readonly platform?: Platform;
  readonly env?: Readonly<Record<string, string>>;
  /** The ROOT argument; default: the world's project. */
  readonly argument?: string;
  readonly home?: string;
}

/**
 * A real folder tree for one test: a project, a home and the rest of a machine.
 *
 * Paths outside of the project and the home (system folders, everything on another platform) are read with
 * the product's own reader below `machine`, so that each table is tried with real files on any machine.
 */
export class World {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'packproof-scope-')));
  readonly project = join(this.dir, 'project');
  readonly home = join(this.dir, 'home');
  readonly #machine = join(this.dir, 'machine');
  /** Every path that was read or asked for, in order. */
  readonly touched: string[] = [];

  constructor() {
    for (const folder of [this.project, this.home, this.#machine]) mkdirSync(folder);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  inProject(path: string, content: string | Uint8Array): string {
    return write(join(this.project, path), content);
  }

  inHome(path: string, content: string | Uint8Array): string {
    return write(join(this.home, path), content);
  }

  /** Writes the file that stands for an absolute path of the machine, in any platform's spelling. */
  onMachine(path: string, content: string | Uint8Array): string {
    return write(this.#toReal(path), content);
  }

  link(target: string, path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  }

  run(options: RunOptions = {}): ScopeReport {
    const { client = 'claude-code', explain = false, platform = 'linux', env = {}, home } = options;
    const isOwn = platform !== 'win32';
    const root = isOwn
      ? resolveRoot(options.argument ?? this.project, this.dir)
      : { state: 'present' as const, spelledPath: 'C:\\work\\project', canonicalPath: 'C:\\work\\project' };
    const real = (path: string): string => {
      this.touched.push(path);
      return isOwn && path.startsWith(this.dir) ? path : this.#toReal(path);
    };
    return inventory(root, {
      client,
      explain,
      platform,
      env,
      home: home ?? (isOwn ? this.home : 'C:\\Users\\me'),
      readSource: (path) => readSource(real(path)),
      probeFile: (path) => probeFile(real(path)),
    });
  }

  #toReal(path: string): string {
    return join(this.#machine, path.replaceAll('\\', '/').replace(/^([A-Za-z]):/, 'drive-$1'));
  }
}

function write(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs `body` with a new world and removes it whatever happens. */
export function withWorld<T>(body: (world: World) => T): T {
  const world = new World();
  try {
    return body(world);
  } finally {
    world.remove();
  }
}

export function sourceOf(report: ScopeReport, id: string): SourceReport {
  const source = report.sources.find((candidate) => candidate.id === id);
  if (source === undefined) throw new Error(`no source ${id}`);
  return source;
}

export function serverOf(report: ScopeReport, name: string, source?: string): ServerReport {
  const found = report.servers.filter((row) => row.name === name && (source ?? row.source) === row.source);
  const [server] = found;
  if (server === undefined || found.length !== 1) throw new Error(`${found.length} servers ${name}`);
  return server;
}

export function instructionOf(report: ScopeReport, path: string): InstructionReport {
  const row = report.instructions.find((candidate) => candidate.path === path);
  if (row === undefined) throw new Error(`no instruction row ${path}`);
  return row;
}

/** `state` or `state/problem` of a source, for tables of expectations. */
export function stateOf(report: ScopeReport, id: string): string {
  const { state, problem } = sourceOf(report, id);
  return problem === null ? state : `${state}/${problem}`;
}

/** Names of the declared servers with their declaration, sorted as reported. */
export function rowsOf(report: ScopeReport): readonly string[] {
  return report.servers.map(({ name, origin, declaration }) => `${origin} ${name} ${declaration}`);
}

/** The whole JSON document as it leaves the product. */
export function jsonOf(report: ScopeReport): string {
  return [...jsonPieces(report)].join('');
}

/** The whole report for people as it leaves the product. */
export function textOf(report: ScopeReport): string {
  return [...textPieces(report)].join('');
}
