import type { CompiledCheck, Expectation } from '../../../suite/compiled.ts';
import { MARKER, REFERENCE } from './drivers.ts';
import { CANARIES, type ScopeCase } from './scope-case.ts';
import { CONTROL_STEP } from './steps.ts';

const ADVICE =
  'compare with the statement of the case; the inventory must not guess, run, write or tell more';

export const of = (name: string, stream: 'stdout' | 'stderr' = 'stdout') => ({
  caseId: null,
  step: name,
  stream,
});

export function check(id: string, why: string, expect: Expectation): CompiledCheck {
  return { id, severity: 'gate', why, advice: ADVICE, precondition: null, expect };
}

/** The check of what a reference is seen to do, or of what is compared with it: it gates nothing. */
export const informs = (one: CompiledCheck): CompiledCheck => ({ ...one, severity: 'info' });

export function undoOf(step: string): CompiledCheck {
  return check(`${step}.undone`, 'what the program left was taken back from outside', {
    kind: 'control-undone',
    control: step,
  });
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
    undoOf(CONTROL_STEP.name),
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

/** What is looked for in every case, whatever it is about. */
export function commonChecks(one: ScopeCase): readonly CompiledCheck[] {
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

/** What the case itself states. */
export function ownChecks(one: ScopeCase): readonly CompiledCheck[] {
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
