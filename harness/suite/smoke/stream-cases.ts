import type { CompiledCase, Expectation, StdinPlan } from '../compiled.ts';
import { BASE_ENV, OUTPUT_DIRECTORY } from '../layout.ts';
import { BROKEN_PIPE } from '../signatures.ts';
import { ASKABLE, caseId, requiring, run, type SmokeBin } from './bin.ts';
import { check, smokeCase, step } from './build.ts';
import {
  all,
  atLeastBytes,
  atMostBytes,
  ended,
  exited,
  exitedWith,
  matches,
  not,
  printedHelp,
  printedOnlyVersion,
  sameBytes,
  stderr,
  stdout,
} from './expect.ts';
import { ANSWER_BYTES, FIFTH_MS, IDLE_MS, LARGE_INPUT_BYTES, PIPE_BYTES, QUARTER_MS } from './limits.ts';

const IDLE: StdinPlan = { kind: 'idle' };
const LARGE: StdinPlan = { kind: 'fill', sizeBytes: LARGE_INPUT_BYTES, thenClose: true };

const WAITING = { stdin: IDLE, timeoutMs: IDLE_MS };
const OFFERED = { stdin: LARGE, timeoutMs: IDLE_MS };

/** Whether help is given without waiting for input; the controls are the same with stdin closed. */
export function stdinHelpCase(bin: SmokeBin): CompiledCase {
  const closed = { timeoutMs: QUARTER_MS };
  // A filter that ignores its arguments prints the same with and without them, and may wait for its input.
  const knowsHelp = all(
    exited('help'),
    printedHelp('help'),
    not(all(sameBytes(stdout('help'), stdout('bare')), sameBytes(stderr('help'), stderr('bare')))),
  );
  return smokeCase({
    id: caseId(bin, 'stdin-help'),
    topic: 'stdin-help',
    why: `${bin.name} gives help without waiting for standard input`,
    requires: requiring(bin, ASKABLE),
    steps: [
      step('help', run(bin, '--help'), closed),
      step('bare', run(bin), closed),
      step('help-idle', run(bin, '--help'), WAITING),
      step('help-large', run(bin, '--help'), OFFERED),
    ],
    // Not the large one: a filter that ignores its arguments copies what it is given.
    answers: ['help', 'help-idle'],
    checks: [
      check('stdin-help', 'stdin.help-idle', ended('help-idle'), { when: knowsHelp }),
      check('stdin-help', 'stdin.help-large', ended('help-large'), { when: knowsHelp }),
    ],
  });
}

/** The same of the version. */
export function stdinVersionCase(bin: SmokeBin): CompiledCase {
  return smokeCase({
    id: caseId(bin, 'stdin-version'),
    topic: 'stdin-version',
    why: `${bin.name} tells its version without waiting for standard input`,
    requires: requiring(bin, ASKABLE),
    steps: [step('version', run(bin, '--version')), step('version-idle', run(bin, '--version'), WAITING)],
    answers: ['version', 'version-idle'],
    checks: [
      check('stdin-version', 'stdin.version-idle', ended('version-idle'), {
        when: all(exited('version'), printedOnlyVersion('version', bin.version)),
      }),
    ],
  });
}

/** For programs that read nothing: a compiler given megabytes of no program is rightly slow. */
export function unreadInputCase(bin: SmokeBin): CompiledCase {
  return smokeCase({
    id: caseId(bin, 'unread-input'),
    topic: 'unread-input',
    why: `${bin.name} ends although nobody reads what it is given`,
    requires: requiring(bin, ['cli']),
    steps: [step('bare', run(bin)), step('bare-large', run(bin), { stdin: LARGE, timeoutMs: IDLE_MS })],
    answers: [],
    checks: [check('unread-input', 'stdin.bare-large', ended('bare-large'), { when: ended('bare') })],
  });
}

const HELP_FILE = `${OUTPUT_DIRECTORY}/help.txt`;

/** Whether output arrives whole, wherever it goes. The first run takes what programs print only once. */
export function stdoutCase(bin: SmokeBin): CompiledCase {
  const help = run(bin, '--help');
  const quarter = { timeoutMs: QUARTER_MS };
  const bothEnded = all(exited('pipe'), exited('file'));
  return smokeCase({
    id: caseId(bin, 'stdout'),
    topic: 'stdout',
    why: `the output of ${bin.name} arrives whole in pipe and file`,
    requires: requiring(bin, ASKABLE),
    steps: [
      step('warm', help, quarter),
      step('pipe', help, quarter),
      step('file', help, { ...quarter, stdout: { file: HELP_FILE } }),
      step('closed', help, { ...quarter, stdout: { closeAfterBytes: 1 } }),
    ],
    answers: ['warm', 'pipe'],
    checks: [
      check(
        'stdout',
        'stdout.complete',
        { kind: 'file-not-longer', path: HELP_FILE, than: stdout('pipe') },
        { when: all(bothEnded, atLeastBytes(stdout('pipe'), PIPE_BYTES)) },
      ),
      check(
        'stdout',
        'stdout.same',
        { kind: 'file-equals-stream', path: HELP_FILE, of: stdout('pipe') },
        { when: bothEnded },
      ),
      check('stdout', 'stdout.closed-ends', ended('closed')),
      check('stdout', 'stdout.closed-quietly', not(matches(stderr('closed'), BROKEN_PIPE))),
      check(
        'stdout',
        'stdout.no-escapes',
        { kind: 'stream-no-escapes', of: stdout('pipe') },
        isShort('pipe'),
      ),
    ],
  });
}

/** A flood is reported as one, and not looked through. */
function isShort(name: string): { readonly when: Expectation } {
  return { when: atMostBytes(stdout(name), ANSWER_BYTES) };
}

const SURROUNDINGS: readonly (readonly [name: string, env: Readonly<Record<string, string>>])[] = [
  ['warm', BASE_ENV],
  ['plain', BASE_ENV],
  ['no-colour', { ...BASE_ENV, NO_COLOR: '1' }],
  ['zone', { ...BASE_ENV, TZ: 'Asia/Kolkata' }],
  ['locale', { ...BASE_ENV, LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' }],
];

/** Whether surroundings that differ from machine to machine change the answer. */
export function environmentCase(bin: SmokeBin): CompiledCase {
  const sameAs = (name: string): Expectation => sameBytes(stdout('plain'), stdout(name));
  const bothWork = (name: string): Expectation => all(exitedWith('plain', 0), exitedWith(name, 0));
  return smokeCase({
    id: caseId(bin, 'environment'),
    topic: 'environment',
    why: `${bin.name} answers the same in other surroundings`,
    requires: requiring(bin, ASKABLE),
    steps: SURROUNDINGS.map(([name, env]) => step(name, run(bin, '--help'), { env, timeoutMs: FIFTH_MS })),
    answers: SURROUNDINGS.map(([name]) => name),
    checks: [
      check(
        'environment',
        'colour.none',
        { kind: 'stream-no-escapes', of: stdout('no-colour') },
        isShort('no-colour'),
      ),
      check('environment', 'zone.same', sameAs('zone'), { when: bothWork('zone') }),
      check('environment', 'locale.same', sameAs('locale'), { when: bothWork('locale') }),
    ],
  });
}

/** A directory that cannot be written in any box, and one that does not exist. */
const READ_ONLY_HOME = '/';
const MISSING_HOME = '/nonexistent/home';

const { HOME: _home, ...HOMELESS } = BASE_ENV;

const HOMES: readonly (readonly [name: string, env: Readonly<Record<string, string>>])[] = [
  ['plain', BASE_ENV],
  ['missing', { ...BASE_ENV, HOME: MISSING_HOME }],
  ['read-only', { ...BASE_ENV, HOME: READ_ONLY_HOME }],
  ['unset', HOMELESS],
];

/** Whether a program that only answers needs a home. */
export function homeCase(bin: SmokeBin): CompiledCase {
  const when = exitedWith('plain', 0);
  return smokeCase({
    id: caseId(bin, 'home'),
    topic: 'home',
    why: `${bin.name} answers without a home directory`,
    requires: requiring(bin, ASKABLE),
    steps: HOMES.map(([name, env]) => step(name, run(bin, '--help'), { env, timeoutMs: QUARTER_MS })),
    answers: HOMES.map(([name]) => name),
    checks: [
      check('home', 'home.missing', exitedWith('missing', 0), { when }),
      check('home', 'home.read-only', exitedWith('read-only', 0), { when }),
      check('home', 'home.unset', exitedWith('unset', 0), { when }),
    ],
  });
}
