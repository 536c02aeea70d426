import { HELP_STEP, SESSION_STEP } from '../classify.ts';
import type { CompiledCase, CompiledStep, Expectation } from '../compiled.ts';
import { caseId, requiring, run, type SmokeBin } from './bin.ts';
import { check, smokeCase, step } from './build.ts';
import { opening } from './dialogues.ts';
import { all, any, classified, crashed, failedToLoad, failedToStart, not } from './expect.ts';
import { CLASSIFY_LADDER, GLANCE_MS, GUESS_MS, HINTED_MS } from './limits.ts';

/** Slack over the waits of a dialogue: the start of a Node program on a loaded machine. */
const START_SLACK_MS = 3_000;

/** What the bin is, in a box of its own; every other case of the bin depends on the answer. */
export function classifyCase(bin: SmokeBin): CompiledCase {
  const both = [HELP_STEP, SESSION_STEP];
  const hangs = classified(null, 'server', 'reads-stdin');
  return smokeCase({
    id: caseId(bin, 'classify'),
    topic: 'classify',
    why: `finds out what kind of program ${bin.name} is, and whether it starts at all`,
    node: 'each',
    steps: [step(HELP_STEP, run(bin, '--help'), { timeoutMs: GLANCE_MS }), sessionStep(bin, [])],
    answers: [HELP_STEP],
    checks: [
      check('classify', 'bin.starts', all(...both.map((name) => not(failedToStart(name))))),
      check('classify', 'bin.loads', all(...both.map((name) => not(failedToLoad(name))))),
      check('classify', 'bin.no-crash-signal', all(...both.map((name) => not(crashed(name))))),
      check('classify', 'bin.kind', not(classified(null, 'broken', 'unclear'))),
      ...(bin.mcpHint
        ? [check('classify', 'mcp.recognised', not(hangs), { when: any(hangs, served()) })]
        : []),
    ],
  });
}

/**
 * The same start with a directory as argument, for programs that end at once without one. It runs last and
 * alone in its box, because a program may do to the directory whatever it does to directories.
 */
export function classifyWithDirectoryCase(bin: SmokeBin): CompiledCase {
  return smokeCase({
    id: caseId(bin, 'classify-directory'),
    topic: 'classify',
    why: `finds out whether ${bin.name} becomes a server when it is given a directory`,
    requires: requiring(bin, ['cli', 'unclear']),
    node: 'each',
    steps: [sessionStep(bin, ['/work'])],
    answers: [],
    checks: [
      check('classify', 'bin.kind', not(classified(null, 'unclear'))),
      ...(bin.mcpHint ? [check('classify', 'mcp.recognised', served())] : []),
    ],
  });
}

function served(): Expectation {
  return classified(null, 'mcp-server');
}

function sessionStep(bin: SmokeBin, args: readonly string[]): CompiledStep {
  const waitMs = bin.mcpHint ? HINTED_MS : GUESS_MS;
  const ladderMs = CLASSIFY_LADDER.afterEofMs + CLASSIFY_LADDER.afterTermMs;
  return step(SESSION_STEP, run(bin, ...args), {
    stdin: opening(waitMs, CLASSIFY_LADDER),
    timeoutMs: waitMs + ladderMs + START_SLACK_MS,
  });
}
