import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../document/assets.ts';
import type { CompiledCase, CompiledFile, CompiledStep } from '../../../suite/compiled.ts';
import { type CaseEvaluation, evaluateCase } from '../../../suite/evaluate/evaluator.ts';
import { localLink, NODE_BINARY } from '../../../suite/layout.ts';
import { bytesOf, observe, type StepParts } from '../../../suite/testing/observations.ts';

/** Who the candidate is in a box, and so here when we may choose: permissions must mean something. */
const BOX_USER = 1000;

/** A patch of compiled code: `find` stands in the file exactly once. */
export interface Patch {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Tests, types and maps would be most of what is copied for each twin. */
function isNeeded(path: string): boolean {
  return !/\.test\.js$|\.d\.[cm]?ts$|\.map$|\/testing$/.test(path);
}

/** A folder with the command as it is compiled, or broken on purpose, and nothing else of packproof. */
export class Installation {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'packproof-scope-installed-')));
  readonly main = join(this.dir, 'dist/harness/cli/main.js');

  constructor(patches: readonly Patch[] = []) {
    const from = packageRoot();
    chmodSync(this.dir, 0o755);
    const parts = ['package.json', 'docker/seccomp.json'];
    const folders = ['cli', 'document', 'scope'].map((name) => `dist/harness/${name}`);
    const packages = ['commander', 'jsonc-parser', 'smol-toml'].map((name) => `node_modules/${name}`);
    for (const part of [...parts, ...folders, ...packages]) {
      mkdirSync(dirname(join(this.dir, part)), { recursive: true });
      cpSync(join(from, part), join(this.dir, part), {
        recursive: true,
        dereference: true,
        filter: isNeeded,
      });
    }
    for (const patch of patches) this.#apply(patch);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #apply({ file, find, replace }: Patch): void {
    const path = join(this.dir, 'dist/harness', file);
    const text = readFileSync(path, 'utf8');
    const places = text.split(find).length - 1;
    if (places !== 1) throw new Error(`${file}: expected the text once, found it ${places} times: ${find}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }
}

/**
 * Runs one compiled case outside of a box, for tests of the cases themselves: the same files, command lines and
 * checks, in a folder of its own. It proves nothing about a boundary. No step takes longer than `limitMs`.
 */
export function runLocally(
  compiled: CompiledCase,
  installation: Installation,
  limitMs = Number.POSITIVE_INFINITY,
): CaseEvaluation {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'packproof-scope-case-')));
  try {
    chmodSync(dir, 0o755);
    const inside = new Translation(dir, installation.main);
    for (const folder of ['/work', '/home/node', '/tmp']) mkdirSync(join(dir, folder), { recursive: true });
    for (const file of compiled.files) layFile(file, inside);
    handOver(join(dir, 'work'));
    handOver(join(dir, 'home'));
    const steps = compiled.steps.map((step) =>
      runStep({ ...step, timeoutMs: Math.min(step.timeoutMs, limitMs) }, inside),
    );
    const observed = observe({ caseId: compiled.id, steps });
    return evaluateCase(compiled, [observed.observation], bytesOf(observed));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Between the paths of a box and those of the folder that stands for it. */
class Translation {
  readonly #dir: string;
  readonly #main: string;

  constructor(dir: string, main: string) {
    this.#dir = dir;
    this.#main = main;
  }

  toOutside(text: string): string {
    return text.replace(
      /(?<![\w/.-])(\/work|\/home\/node|\/tmp)(?=[/'"\s]|$)/g,
      (path) => `${this.#dir}${path}`,
    );
  }

  toInside(text: string): string {
    return text.replaceAll(this.#dir, '');
  }

  argv(argv: readonly string[]): readonly string[] {
    const [program = '', ...rest] = argv;
    if (program === localLink('packproof'))
      return [process.execPath, this.#main, ...rest.map((one) => this.toOutside(one))];
    return [program === NODE_BINARY ? process.execPath : program, ...rest.map((one) => this.toOutside(one))];
  }
}

function layFile(file: CompiledFile, inside: Translation): void {
  const path = inside.toOutside(file.path);
  switch (file.kind) {
    case 'directory':
      mkdirSync(path, { recursive: true });
      chmodSync(path, Number.parseInt(file.mode, 8));
      return;
    case 'symlink':
      symlinkSync(inside.toOutside(file.target), path);
      return;
    case 'fifo':
      spawnSync('mkfifo', [path]);
      return;
    case 'file': {
      const bytes = Buffer.from(file.contentBase64, 'base64');
      const text = bytes.toString('utf8');
      writeFileSync(path, Buffer.from(text).equals(bytes) ? inside.toOutside(text) : bytes);
      chmodSync(path, Number.parseInt(file.mode, 8));
    }
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function handOver(folder: string): void {
  if (!isRoot()) return;
  chownSync(folder, BOX_USER, BOX_USER);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) handOver(path);
    else if (!entry.isSymbolicLink()) chownSync(path, BOX_USER, BOX_USER);
  }
}

function runStep(step: CompiledStep, inside: Translation): StepParts {
  const argv = inside.argv(step.argv);
  if (argv[1] === '-e') return runOwn(step.name, argv[2] ?? '', inside);
  const [program = '', ...rest] = argv;
  const ended = spawnSync(program, rest, {
    cwd: inside.toOutside(step.cwd),
    env: { ...step.env, HOME: inside.toOutside(step.env.HOME ?? '') },
    timeout: step.timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
    ...(isRoot() ? { uid: BOX_USER, gid: BOX_USER } : {}),
  });
  return {
    name: step.name,
    termination:
      ended.status === null
        ? { kind: 'timed-out', limitMs: step.timeoutMs }
        : { kind: 'exited', code: ended.status },
    stdout: inside.toInside(ended.stdout.toString('utf8')),
    stderr: inside.toInside(ended.stderr.toString('utf8')),
  };
}

/** The programs of the cases themselves need no process of their own here, which spares most of the time. */
function runOwn(name: string, source: string, inside: Translation): StepParts {
  const lines: string[] = [];
  let code = 0;
  try {
    const body = new Function('require', 'process', 'console', source);
    body(createRequire(import.meta.url), process, { log: (line: string) => lines.push(line) });
  } catch (error) {
    code = 1;
    lines.push(String(error));
  }
  const stdout = inside.toInside(lines.map((line) => `${line}\n`).join(''));
  return { name, termination: { kind: 'exited', code }, stdout, stderr: '' };
}
