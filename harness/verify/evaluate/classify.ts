import type { BinClass } from '../shape/suite.ts';
import { follow, responsesOf } from './json-lines.ts';
import { finds } from './patterns.ts';
import type { Scene, SeenStep } from './scene.ts';

// What the format says about classification cases: names of their steps, the id of the request, and the words
// by which Node and shells complain. Written down here again on purpose, as all of the evaluation is.
const HELP = 'help';
const SESSION = 'session';
const INITIALIZE = 1;
const CRASHES = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP'];

/** The loader found a module missing or unusable, or a file would not compile. */
const NOT_LOADED = [
  'ERR_MODULE_NOT_FOUND',
  "code: 'MODULE_NOT_FOUND'",
  "Cannot find module '[^'\\n]+'\\nRequire stack:",
  "Cannot find (module|package) '[^'\\n]+' imported from",
  'ERR_REQUIRE_ESM',
  'ERR_REQUIRE_ASYNC_MODULE',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_INVALID_PACKAGE_(TARGET|CONFIG)',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_UNKNOWN_(FILE_EXTENSION|MODULE_FORMAT|BUILTIN_MODULE)',
  'ERR_IMPORT_(ASSERTION|ATTRIBUTE)_[A-Z_]+',
  'ERR_DLOPEN_FAILED',
  'ReferenceError: (require|module|exports|__dirname|__filename) is not defined',
  'SyntaxError:[^\\n]*\\n(    at [^\\n]*\\n)*    at [^\\n]*(wrapSafe|compileSourceTextModule|internalCompileFunction|moduleStrategy|ModuleJob[A-Za-z]*\\._?instantiate|ModuleJobSync)',
];
/** The missing file is one of the user, whose configuration the program loads. */
const USERS_FILE = "Cannot find (module|package) '(file://)?/(work|home/node|tmp)/";
/** `env` or a shell complains: no usable interpreter line. */
const NO_PROGRAM =
  '(?m)^((/usr)?/bin/)?env: [^\\n]*(No such file|Permission denied|Exec format)|^(/opt/candidate/[^:\\n]*|[^:\\n]*sh: [^:\\n]*): (line )?[0-9]+: ';
const WANTS_TERMINAL =
  '(setRawMode|cursorTo|clearLine|getWindowSize|moveCursor) is not a function|ERR_TTY_INIT_FAILED|(?i:(is not|isn.t|not) a (tty|terminal)|requires? (a|an) (interactive )?(tty|terminal)|raw mode is not supported)';

/** What a bin is, by the record of its classification case; null names the scene's own. */
export function classify(scene: Scene, caseId: string | null): BinClass {
  const session = scene.step(caseId, SESSION);
  if (session === null) return 'unclear';
  const complains = (pattern: string): boolean => {
    const head = scene.stream({ caseId, step: SESSION, stream: 'stderr' })?.head ?? null;
    return head !== null && finds(pattern, head);
  };
  const helped = scene.step(caseId, HELP)?.termination;
  if (!(helped?.kind === 'exited' && helped.code === 0) && isBroken(session, complains)) return 'broken';
  if (answers(scene.stream({ caseId, step: SESSION, stream: 'stdout' })?.lines?.values ?? []))
    return 'mcp-server';
  if (failed(session) && complains(WANTS_TERMINAL)) return 'needs-terminal';
  return byEnd(session);
}

/** Only clients send `initialize`: who prints it copies its input, answers of ours included. */
function answers(values: readonly unknown[]): boolean {
  if (values.some((value) => follow(value, '/method') === 'initialize')) return false;
  for (const { id } of responsesOf(values)) if (id === INITIALIZE) return true;
  return false;
}

function failed(step: SeenStep): boolean {
  return step.termination.kind === 'exited' && step.termination.code !== 0;
}

function isBroken(session: SeenStep, complains: (pattern: string) => boolean): boolean {
  const { termination } = session;
  if (termination.kind === 'not-started') return true;
  if (termination.kind === 'signaled') return CRASHES.includes(termination.signal);
  if (!failed(session)) return false;
  return complains(NO_PROGRAM) || (NOT_LOADED.some(complains) && !complains(USERS_FILE));
}

function byEnd({ actions, termination, durationMs }: SeenStep): BinClass {
  if (actions.some(({ kind }) => kind === 'signal')) return 'server';
  if (termination.kind !== 'exited' && termination.kind !== 'signaled') return 'unclear';
  const brokenPipe = actions.some(({ kind, detail }) => kind === 'stdin' && detail.endsWith('broken-pipe'));
  const closed = actions.find(({ kind }) => kind === 'stdin-closed');
  // It read to the end of its input only if it was still there when that came.
  return closed !== undefined && !brokenPipe && closed.atMs < durationMs ? 'reads-stdin' : 'cli';
}
