import type {
  CompiledCase,
  CompiledCheck,
  CompiledControl,
  CompiledFile,
  CompiledStep,
  Expectation,
} from '../../../suite/compiled.ts';
import { BASE_ENV, localLink, NODE_BINARY } from '../../../suite/layout.ts';
import { USUAL_CASE } from '../../../suite/usual-case.ts';
import { AFTER, BEFORE, MARKER, REFERENCE, SERVER_PATH, SERVER_TEXT } from './drivers.ts';

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

export interface ScopeCase {
  readonly id: string;
  readonly why: string;
  readonly files: Readonly<Record<string, Laid>>;
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

/** Long for a busy machine; nothing waits for it unless something hangs. */
const STEP_MS = 20_000;

const ADVICE =
  'compare with the statement of the case; the inventory must not guess, run, write or tell more';

/** Writes one case in the closed form that run and verify read. */
export function compileScopeCase(one: ScopeCase): CompiledCase {
  const argv = one.argv ?? [PROJECT];
  return {
    ...emptyCase(one),
    controls: CONTROLS,
    steps: [
      CONTROL_STEP,
      BEFORE_STEP,
      at(one, step('json', [localLink('packproof'), 'scope', ...argv, '--json'], one.cwd)),
      at(one, step('text', [localLink('packproof'), 'scope', ...argv], one.cwd)),
      AFTER_STEP,
    ],
    checks: [...commonChecks(one), ...ownChecks(one)],
  };
}

/** A case that has its files and does nothing yet. */
export function emptyCase({ id, why, files }: Pick<ScopeCase, 'id' | 'why' | 'files'>): CompiledCase {
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

export function step(name: string, argv: readonly string[], cwd = '/work'): CompiledStep {
  return {
    name,
    argv,
    env: { ...BASE_ENV, PLACEHOLDER: CANARIES.expanded },
    cwd,
    stdin: { kind: 'closed' },
    stdout: 'pipe',
    signals: [],
    timeoutMs: STEP_MS,
  };
}

function at({ env = {} }: ScopeCase, made: CompiledStep): CompiledStep {
  const changed = Object.entries({ ...made.env, ...env });
  return {
    ...made,
    env: Object.fromEntries(changed.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
  };
}

/** Starts the configured program as a client would; its marker is taken away from outside. */
export const CONTROL_STEP = step('control', [CANARIES.command, SERVER_PATH]);
export const CONTROLS: readonly CompiledControl[] = [
  { step: CONTROL_STEP.name, phase: 'positive', files: [], remove: [MARKER], restore: [] },
];
export const BEFORE_STEP = step('before', [NODE_BINARY, '-e', BEFORE]);
export const AFTER_STEP = step('after', [NODE_BINARY, '-e', AFTER]);

export const of = (name: string, stream: 'stdout' | 'stderr' = 'stdout') => ({
  caseId: null,
  step: name,
  stream,
});

export function check(id: string, why: string, expect: Expectation): CompiledCheck {
  return { id, severity: 'gate', why, advice: ADVICE, precondition: null, expect };
}

export const all = (...list: readonly Expectation[]): Expectation => ({ kind: 'all', of: list });
const not = (expectation: Expectation): Expectation => ({ kind: 'not', of: expectation });

export function exited(name: string, code: number): Expectation {
  return { kind: 'termination', step: name, caseId: null, anyOf: [{ kind: 'exited', codes: [code] }] };
}

/** The world before and after: the configured program works, was not started again, and nothing was touched. */
export function worldChecks(): readonly CompiledCheck[] {
  return [
    check(
      'control',
      'the configured program works when it is started',
      all(exited(CONTROL_STEP.name, 0), {
        kind: 'path-changed',
        path: MARKER,
        change: 'created',
        control: CONTROL_STEP.name,
      }),
    ),
    check('control.undone', 'what the program left was taken back from outside', {
      kind: 'control-undone',
      control: CONTROL_STEP.name,
    }),
    check(
      'not-started',
      'nothing that is configured was started',
      not({ kind: 'stream-includes', of: of('after'), text: `["${MARKER}"` }),
    ),
    check(
      'untouched',
      'contents, modes and times of everything are as before, and nothing was added',
      all(exited('before', 0), exited('after', 0), {
        kind: 'streams-equal',
        left: of('before'),
        right: of('after'),
      }),
    ),
    check('unchanged', 'seen from outside of the box, contents and modes are as they were laid', {
      kind: 'files-unchanged',
      below: ['/work', '/home/node', '/tmp'],
      except: [REFERENCE],
      // The times are set by the step before; the listing from inside holds them.
      compare: ['bytes', 'modes'],
    }),
    check('no-marker', 'seen from outside of the box, the program left no marker', {
      kind: 'path-absent',
      path: MARKER,
      control: null,
    }),
    check('canaries', 'no value is in any stream or in a file that is new or changed', {
      kind: 'no-canaries',
      texts: Object.values(CANARIES),
    }),
  ];
}

function commonChecks(one: ScopeCase): readonly CompiledCheck[] {
  const outputs = (['json', 'text'] as const).flatMap((name) => [of(name), of(name, 'stderr')]);
  return [
    ...worldChecks(),
    check(
      'exit-code',
      `both forms end with ${one.exit}`,
      all(exited('json', one.exit), exited('text', one.exit)),
    ),
    ...Object.entries(CANARIES).map(([name, canary]) =>
      check(
        `no-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-canary`,
        'the value is in no output',
        all(...outputs.map((stream) => not({ kind: 'stream-includes', of: stream, text: canary }))),
      ),
    ),
    check(
      'no-escapes',
      'no output acts on a terminal',
      all({ kind: 'stream-no-escapes', of: of('json') }, { kind: 'stream-no-escapes', of: of('text') }),
    ),
    ...formChecks(one),
  ];
}

function formChecks({ exit, output = 'report' }: ScopeCase): readonly CompiledCheck[] {
  if (output === 'help') return [];
  if (exit === 2) {
    return [
      check(
        'no-result',
        'a wrong call has no result',
        all(
          { kind: 'stream-empty', of: of('json'), ignoreWhitespace: false },
          { kind: 'stream-empty', of: of('text'), ignoreWhitespace: false },
        ),
      ),
    ];
  }
  return [
    check(
      'one-document',
      'the JSON form is one document of one line',
      all(
        { kind: 'json-lines', of: of('json'), jsonRpc: false, nonJson: 'refuse' },
        { kind: 'stream-matches', of: of('json'), pattern: `^\\{"version":1,[^\\n]*\\}\\n$` },
        { kind: 'stream-empty', of: of('json', 'stderr'), ignoreWhitespace: false },
      ),
    ),
  ];
}

function ownChecks(one: ScopeCase): readonly CompiledCheck[] {
  const matches = (name: string, pattern: string): Expectation => ({
    kind: 'stream-matches',
    of: of(name),
    pattern,
  });
  const groups: readonly (readonly [string, string, readonly Expectation[]])[] = [
    [
      'json-says',
      'the document says what is there',
      (one.json ?? []).map((pattern) => matches('json', pattern)),
    ],
    [
      'json-leaves-out',
      'the document says no more',
      (one.noJson ?? []).map((pattern) => not(matches('json', pattern))),
    ],
    [
      'text-says',
      'the human output says what is there',
      (one.text ?? []).map((pattern) => matches('text', pattern)),
    ],
    [
      'text-leaves-out',
      'the human output says no more',
      (one.noText ?? []).map((pattern) => not(matches('text', pattern))),
    ],
  ];
  const said = groups.flatMap(([id, why, list]) => (list.length === 0 ? [] : [check(id, why, all(...list))]));
  return one.sameAs === undefined ? said : [...said, sameOutputs(one.sameAs)];
}

function sameOutputs(caseId: string): CompiledCheck {
  const equal = (name: string): Expectation => ({
    kind: 'streams-equal',
    left: of(name),
    right: { ...of(name), caseId },
  });
  return check('same-outputs', `both outputs are those of ${caseId}`, all(equal('json'), equal('text')));
}
