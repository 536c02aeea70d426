import type { CompiledCase, CompiledCheck, CompiledFile, Expectation } from '../compiled.ts';
import { MISTYPED } from '../language/seen-cases.ts';
import { FOREIGN_CWD, globalLink, localLink } from '../layout.ts';
import {
  ERROR_TEXT,
  NEEDS_NETWORK,
  NEEDS_PASSWD,
  ONLY_SEMVER,
  SEMVER_TOKEN,
  TERMINAL_CRASH,
  UNCAUGHT,
  WRITES_OWN_FILES,
} from '../signatures.ts';
import { ASKABLE, caseId, requiring, run, type SmokeBin } from './bin.ts';
import { check, smokeCase, step } from './build.ts';
import {
  all,
  any,
  atMostBytes,
  blank,
  classified,
  diedUncaught,
  ended,
  exited,
  exitedNonzero,
  exitedWith,
  failedForTerminal,
  failedToLoad,
  failedToStart,
  failedWith,
  includes,
  matches,
  not,
  printedHelp,
  printedOnlyVersion,
  printedVersion,
  sameBytes,
  stderr,
  stdout,
} from './expect.ts';
import { ANSWER_BYTES, EXIT_LAG_MS, GLANCE_MS, QUARTER_MS, SERVER_ANSWER_MS } from './limits.ts';

/** A version that no package has, so that seeing it means having read the file it stands in. */
const DECOY_VERSION = '987.65.43';

const DECOY: CompiledFile = {
  kind: 'file',
  path: `${FOREIGN_CWD}/package.json`,
  mode: '0644',
  contentBase64: Buffer.from(
    `${JSON.stringify({ name: 'packproof-decoy', version: DECOY_VERSION, private: true })}\n`,
  ).toString('base64'),
};

/** Every use died because Node lacks what was called; a program fed the wrong input dies of other errors. */
const MISSING_API = '(TypeError|ReferenceError): [^\\n]* is not (a function|a constructor|defined)';

const ANSWERS = ['help', 'version'] as const;
const STARTS = ['help', 'version', 'bare'] as const;

/** What a person tries first: help, version, nothing, and a typing mistake. */
export function argumentsCase(bin: SmokeBin): CompiledCase {
  return smokeCase({
    id: caseId(bin, 'arguments'),
    topic: 'arguments',
    why: `${bin.name} answers --help and --version and refuses what it does not know`,
    requires: requiring(bin, ASKABLE),
    node: 'each',
    files: [DECOY],
    steps: [
      step('help', run(bin, '--help')),
      step('version', run(bin, '--version')),
      step('bare', run(bin), { timeoutMs: GLANCE_MS }),
      step('unknown-flag', run(bin, MISTYPED), { timeoutMs: GLANCE_MS }),
    ],
    answers: ANSWERS,
    checks: [
      ...startChecks(bin),
      ...helpChecks(),
      ...versionChecks(bin),
      ...unknownFlagChecks(),
      ...surroundingChecks(),
    ],
  });
}

function isCli(bin: SmokeBin): Expectation {
  return classified(caseId(bin, 'classify'), 'cli');
}

function startChecks(bin: SmokeBin): readonly CompiledCheck[] {
  const silent = STARTS.map((name) => all(exitedWith(name, 0), blank(stdout(name)), blank(stderr(name))));
  return [
    check('arguments', 'answers.load', all(...STARTS.map((name) => not(failedToLoad(name))))),
    check('arguments', 'answers.api', not(all(...STARTS.map((name) => lacksApi(name))))),
    check('arguments', 'answers.no-crash', not(all(...STARTS.map((name) => diedUncaught(name))))),
    check('arguments', 'answers.something', not(all(...silent)), { when: isCli(bin) }),
  ];
}

function lacksApi(name: string): Expectation {
  return all(
    failedWith(name, UNCAUGHT),
    matches(stderr(name), MISSING_API),
    not(matches(stderr(name), TERMINAL_CRASH)),
  );
}

/** A flood is reported as one; whether it meets the output limit or the time limit first is chance. */
function isNoFlood(name: string): Expectation {
  return atMostBytes(stdout(name), ANSWER_BYTES);
}

function helpChecks(): readonly CompiledCheck[] {
  return [
    check('arguments', 'help.ends', ended('help'), { when: isNoFlood('help') }),
    check('arguments', 'help.not-empty', not(all(blank(stdout('help')), blank(stderr('help')))), {
      when: exitedWith('help', 0),
    }),
    check('arguments', 'help.exit-zero', exitedWith('help', 0), {
      when: all(exited('help'), printedHelp('help'), not(sameBytes(stdout('help'), stdout('unknown-flag')))),
    }),
  ];
}

function versionChecks(bin: SmokeBin): readonly CompiledCheck[] {
  const isVersion = matches(stdout('version'), ONLY_SEMVER);
  const hasVersion = all(exitedWith('version', 0), matches(stdout('version'), SEMVER_TOKEN));
  return [
    check('arguments', 'version.ends', ended('version'), { when: isNoFlood('version') }),
    check('arguments', 'version.available', hasVersion),
    versionMatches('arguments', bin, all(exitedWith('version', 0), isVersion)),
    check('arguments', 'version.mentioned', printedVersion('version', bin.version), {
      when: all(hasVersion, not(isVersion)),
    }),
    check('arguments', 'version.not-from-cwd', not(includes(stdout('version'), DECOY_VERSION))),
  ];
}

function versionMatches(
  topic: 'arguments' | 'server-arguments',
  bin: SmokeBin,
  when: Expectation,
): CompiledCheck {
  return check(topic, 'version.matches', printedOnlyVersion('version', bin.version), { when });
}

function unknownFlagChecks(): readonly CompiledCheck[] {
  const name = 'unknown-flag';
  return [
    check('arguments', 'unknown-flag.refused', exitedNonzero(name), { when: exited(name) }),
    check('arguments', 'unknown-flag.error-is-failure', exitedNonzero(name), {
      when: all(exited(name), matches(stderr(name), ERROR_TEXT)),
    }),
    check('arguments', 'unknown-flag.no-crash', not(diedUncaught(name))),
  ];
}

function surroundingChecks(): readonly CompiledCheck[] {
  const neither = (fault: (name: string) => Expectation): Expectation =>
    all(...ANSWERS.map((name) => not(fault(name))));
  const lag = (name: string): Expectation => ({ kind: 'exit-lag', step: name, maxMs: EXIT_LAG_MS });
  return [
    ownFiles('arguments', STARTS),
    check(
      'arguments',
      'offline.answers',
      neither((name) => failedWith(name, NEEDS_NETWORK)),
    ),
    check('arguments', 'offline.bare', not(failedWith('bare', NEEDS_NETWORK))),
    check(
      'arguments',
      'user.without-passwd',
      neither((name) => failedWith(name, NEEDS_PASSWD)),
    ),
    check('arguments', 'terminal.not-needed', neither(failedForTerminal)),
    check('arguments', 'exit.lag', all(...ANSWERS.map(lag)), {
      when: all(...ANSWERS.map((name) => exited(name))),
    }),
    check('arguments', 'cwd.clean', {
      kind: 'no-files-created',
      below: [FOREIGN_CWD],
      // A program that makes what it is told may take the flag for a name.
      except: [`${FOREIGN_CWD}/${MISTYPED}`],
    }),
  ];
}

function ownFiles(topic: 'arguments' | 'server-arguments', steps: readonly string[]): CompiledCheck {
  return check(
    topic,
    'own-files.untouched',
    all(...steps.map((name) => not(failedWith(name, WRITES_OWN_FILES)))),
  );
}

/** Servers are asked too, briefly: many ignore their arguments and serve, which is no fault. */
export function serverArgumentsCase(bin: SmokeBin): CompiledCase {
  const isVersion = matches(stdout('version'), ONLY_SEMVER);
  const brief = { timeoutMs: SERVER_ANSWER_MS };
  return smokeCase({
    id: caseId(bin, 'server-arguments'),
    topic: 'server-arguments',
    why: `${bin.name} answers --help and --version rightly if it answers them at all`,
    requires: requiring(bin, ['server', 'mcp-server']),
    node: 'each',
    files: [DECOY],
    steps: [
      step('help', run(bin, '--help'), brief),
      step('version', run(bin, '--version'), brief),
      step('global-version', [globalLink(bin.name), '--version'], brief),
    ],
    answers: ANSWERS,
    checks: [
      check('server-arguments', 'answers.load', all(...ANSWERS.map((name) => not(failedToLoad(name))))),
      check('server-arguments', 'help.ends', ended('help'), { when: matches(stdout('help'), USAGE_SCREEN) }),
      check('server-arguments', 'version.ends', ended('version'), { when: isVersion }),
      check(
        'server-arguments',
        'version.available',
        all(exitedWith('version', 0), matches(stdout('version'), SEMVER_TOKEN)),
      ),
      versionMatches('server-arguments', bin, isVersion),
      ownFiles('server-arguments', ANSWERS),
      check(
        'server-arguments',
        'user.without-passwd',
        all(...ANSWERS.map((name) => not(failedWith(name, NEEDS_PASSWD)))),
      ),
      // Not by its exit: whether a server ends within seconds is chance on a loaded machine.
      check('server-arguments', 'global.works', not(diesAtStart('global-version')), {
        when: not(diesAtStart('version')),
      }),
    ],
  });
}

function diesAtStart(name: string): Expectation {
  return any(failedToStart(name), failedToLoad(name), diedUncaught(name));
}

/** Surer than "reads like help": a server that starts may well mention options or commands. */
const USAGE_SCREEN = '(?im)^\\s*(usage\\b|options:\\s*$)';

/** One set of bytes, two ways to be installed. */
export function installedCase(bin: SmokeBin): CompiledCase {
  const ways = { local: localLink(bin.name), global: globalLink(bin.name) };
  const works = (flag: string): Expectation =>
    any(not(exitedWith(`local-${flag}`, 0)), exitedWith(`global-${flag}`, 0));
  const quarter = { timeoutMs: QUARTER_MS };
  const names = ['local-version', 'global-version', 'local-help', 'global-help'];
  return smokeCase({
    id: caseId(bin, 'installed'),
    topic: 'installed',
    why: `${bin.name} works as a dependency's command and as a global one`,
    requires: requiring(bin, ASKABLE),
    steps: [
      step('local-version', [ways.local, '--version'], quarter),
      step('global-version', [ways.global, '--version'], quarter),
      step('local-help', [ways.local, '--help'], quarter),
      step('global-help', [ways.global, '--help'], quarter),
    ],
    answers: names,
    checks: [
      check('installed', 'global.works', all(works('version'), works('help')), {
        when: any(exitedWith('local-version', 0), exitedWith('local-help', 0)),
      }),
      check(
        'installed',
        'global.same-version',
        sameBytes(stdout('local-version'), stdout('global-version')),
        {
          when: all(exitedWith('local-version', 0), exitedWith('global-version', 0)),
        },
      ),
    ],
  });
}
