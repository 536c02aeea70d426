import type { BaseBundle } from '../base-bundle.ts';
import type { Change } from '../change.ts';
import { editedBytes, encode, type Forgery, forge } from '../forgery.ts';
import type { Draft, Kind } from '../kind.ts';
import { replaceAt, valueAt } from '../places.ts';
import { forgeReceipts } from './outcome-forgery.ts';
import { type FoundReceipt, listAt, receiptsOf, recordOf } from './receipts.ts';
import { wholeKind } from './whole-kind.ts';

/** A forgery at one receipt; null: this one gives no opportunity. */
type AtReceipt = (found: FoundReceipt, bundle: BaseBundle) => Forgery | null;

const DOCUMENT = 'cases/*/receipt.json';

export function receiptKind(
  id: string,
  what: string,
  {
    field = '',
    make,
    perField = 2,
  }: { readonly field?: string; readonly make: AtReceipt; readonly perField?: number },
): Kind {
  return {
    id,
    level: 'b',
    what,
    perField,
    drafts: function* (bundle): Generator<Draft> {
      for (const found of receiptsOf(bundle)) {
        const forgery = make(found, bundle);
        if (forgery === null) continue;
        const changes = (): readonly Change[] => forge(bundle, forgery);
        yield { document: DOCUMENT, field, place: found.path, changes };
      }
    },
  };
}

const ranOnly =
  (make: AtReceipt): AtReceipt =>
  (found, bundle) =>
    listAt(found.receipt, 'attempts').length === 0 ? null : make(found, bundle);

/** The receipt alone, nothing that follows from it told again. */
function alone({ path }: FoundReceipt, receipt: unknown): Forgery {
  return { files: new Map([[path, encode(path, receipt)]]) };
}

function judgedAs(
  outcome: 'pass' | 'fail',
  receipt: FoundReceipt['receipt'],
): Readonly<Record<string, unknown>> {
  const checks = listAt(receipt, 'checks').map(recordOf);
  const first = checks.findIndex(({ severity }) => severity === 'gate');
  const results = checks.map((check, index) => {
    if (outcome === 'pass')
      return check['severity'] === 'gate' && check['result'] === 'fail' ? 'pass' : check['result'];
    return index === first ? 'fail' : check['result'];
  });
  return {
    ...receipt,
    outcome,
    reason: null,
    detail: '',
    checks: checks.map((check, index) => ({ ...check, result: results[index] })),
  };
}

/** Another case of the same outcome, whose receipt could pass for this one's. */
function twinOf({ path, outcome }: FoundReceipt, bundle: BaseBundle): FoundReceipt | null {
  const receipts = receiptsOf(bundle).filter((one) => one.outcome === outcome);
  const place = receipts.findIndex((one) => one.path === path);
  return receipts[place + 1] ?? (place > 0 ? receipts[0] : undefined) ?? null;
}

const flipped = (outcome: string): 'pass' | 'fail' | null =>
  outcome === 'pass' ? 'fail' : outcome === 'fail' ? 'pass' : null;

export const CASE_KINDS: readonly Kind[] = [
  receiptKind('case-dropped', 'a case taken away, all that is told of it told anew', {
    make: ({ path }, bundle) => forgeReceipts(bundle, new Map([[path, null]])),
  }),
  receiptKind('receipt-dropped', 'a receipt taken away, its files left', {
    make: ({ path }) => ({ files: new Map([[path, null]]) }),
  }),
  receiptKind('case-doubled', 'a case put in once more under another name', {
    make: ({ path, folder, receipt }) => ({
      files: new Map([
        [path.replace(folder, `${folder}2`), encode(path, { ...receipt, attempts: [], checks: [] })],
      ]),
    }),
  }),
  receiptKind('receipts-exchanged', 'the receipts of two cases exchanged', {
    make: (found, bundle) => {
      const other = twinOf(found, bundle);
      if (other === null) return null;
      return {
        files: new Map([
          [found.path, bundle.read(other.path)],
          [other.path, bundle.read(found.path)],
        ]),
      };
    },
  }),
  receiptKind('receipt-copied', 'a receipt replaced by that of another case, its names its own', {
    make: ranOnly((found, bundle) => {
      const other = twinOf(found, bundle);
      if (other === null) return null;
      const { caseId, suite, node } = found.receipt;
      return alone(found, { ...other.receipt, caseId, suite, node });
    }),
  }),
  receiptKind('outcome-flipped', 'pass made fail, or fail made pass, in a receipt alone', {
    field: 'outcome',
    make: (found) => {
      const outcome = flipped(found.outcome);
      return outcome === null ? null : alone(found, { ...found.receipt, outcome });
    },
  }),
  receiptKind(
    'outcome-flipped-throughout',
    'pass made fail, or fail made pass, in every place that tells of it',
    {
      field: 'outcome',
      perField: 4,
      make: (found, bundle) => {
        const outcome = flipped(found.outcome);
        if (outcome === null) return null;
        return forgeReceipts(bundle, new Map([[found.path, judgedAs(outcome, found.receipt)]]));
      },
    },
  ),
  receiptKind('outcome-made-pass', 'what could not be judged made a pass, in every place that tells of it', {
    field: 'outcome',
    make: (found, bundle) => {
      if (['pass', 'fail'].includes(found.outcome)) return null;
      const receipt = { ...found.receipt, outcome: 'pass', reason: null, detail: '' };
      return forgeReceipts(bundle, new Map([[found.path, receipt]]));
    },
  }),
  receiptKind('failure-made-unrun', 'a judged case told to be unrun, in every place that tells of it', {
    field: 'outcome',
    make: ranOnly((found, bundle) => {
      const receipt = { ...found.receipt, outcome: 'unrun', reason: 'selection', checks: [], attempts: [] };
      return forgeReceipts(bundle, new Map([[found.path, receipt]]));
    }),
  }),
  receiptKind('checks-dropped', 'the checks of a receipt left out', {
    field: 'checks',
    make: ranOnly((found) =>
      listAt(found.receipt, 'checks').length === 0 ? null : alone(found, { ...found.receipt, checks: [] }),
    ),
  }),
  receiptKind('check-softened', 'a gate told to be a warning', {
    field: 'checks[].severity',
    make: (found) => {
      const checks = listAt(found.receipt, 'checks').map(recordOf);
      if (!checks.some(({ severity }) => severity === 'gate')) return null;
      return alone(found, {
        ...found.receipt,
        checks: checks.map((check) => ({ ...check, severity: 'warn' })),
      });
    },
  }),
  receiptKind('attempt-dropped', 'an attempt left out', {
    field: 'attempts',
    make: ranOnly((found) =>
      alone(found, { ...found.receipt, attempts: listAt(found.receipt, 'attempts').slice(1) }),
    ),
  }),
  receiptKind('attempt-doubled', 'an attempt told twice', {
    field: 'attempts',
    make: ranOnly((found) => {
      const attempts = listAt(found.receipt, 'attempts');
      return alone(found, { ...found.receipt, attempts: [...attempts, attempts[0]] });
    }),
  }),
  receiptKind('exit-code-changed', 'the exit code of a step changed, its checks left', {
    field: 'attempts[].steps[].termination',
    perField: 4,
    make: ranOnly((found, bundle) =>
      terminated(found, bundle, (code) => ({ kind: 'exited', code: (code + 1) % 256 })),
    ),
  }),
  receiptKind('exit-made-signal', 'an exit told to be a signal', {
    field: 'attempts[].steps[].termination',
    make: ranOnly((found, bundle) =>
      terminated(found, bundle, () => ({ kind: 'signaled', signal: 'SIGKILL' })),
    ),
  }),
  receiptKind('exit-made-timeout', 'an exit told to be a timeout', {
    field: 'attempts[].steps[].termination',
    make: ranOnly((found, bundle) =>
      terminated(found, bundle, () => ({ kind: 'timed-out', limitMs: 20_000 })),
    ),
  }),
  receiptKind('step-dropped', 'the last step of an attempt left out', {
    field: 'attempts[].steps',
    make: ranOnly((found) =>
      alone(
        found,
        replaceAt(
          found.receipt,
          ['attempts', 0, 'steps'],
          listAt(found.receipt, 'attempts', 0, 'steps').slice(0, -1),
        ),
      ),
    ),
  }),
  receiptKind('teardown-step-dropped', 'a step of the end of a box left out', {
    field: 'attempts[].teardown',
    perField: 6,
    make: ranOnly((found) => {
      const teardown = listAt(found.receipt, 'attempts', 0, 'teardown');
      if (teardown.length === 0) return null;
      const at = found.path.length % teardown.length;
      return alone(found, replaceAt(found.receipt, ['attempts', 0, 'teardown', at], undefined));
    }),
  }),
  receiptKind('teardown-reordered', 'the end of a box told in another order', {
    field: 'attempts[].teardown',
    make: ranOnly((found) => {
      const teardown = listAt(found.receipt, 'attempts', 0, 'teardown');
      return teardown.length < 2
        ? null
        : alone(found, replaceAt(found.receipt, ['attempts', 0, 'teardown'], teardown.toReversed()));
    }),
  }),
  receiptKind('leftover-hidden', 'a process that was left over not told', {
    field: 'attempts[].leftovers',
    make: ranOnly((found) =>
      listAt(found.receipt, 'attempts', 0, 'leftovers').length === 0
        ? null
        : alone(found, replaceAt(found.receipt, ['attempts', 0, 'leftovers'], [])),
    ),
  }),
  receiptKind('outputs-exchanged', 'stdout and stderr of a step exchanged, with their records', {
    field: 'attempts[].steps[]',
    perField: 4,
    make: ranOnly((found, bundle) => exchangeStreams(found, bundle)),
  }),
  receiptKind('output-of-another', 'the output of a step replaced by that of another case, with its record', {
    field: 'attempts[].steps[].stdout',
    make: ranOnly((found, bundle) => {
      const other = twinOf(found, bundle);
      return other === null ? null : borrowStream(found, other, bundle);
    }),
  }),
  receiptKind('output-swapped-alone', 'the output of a step replaced, its record left', {
    field: 'attempts[].steps[].stdout',
    make: ranOnly((found, bundle) => {
      const path = streamPath(found, 'stdout');
      if (path === null || !bundle.files.has(path)) return null;
      return {
        files: new Map([[path, Buffer.concat([bundle.read(path), Buffer.from('x')])]]),
        keepMentions: true,
      };
    }),
  }),
];

function terminated(
  found: FoundReceipt,
  _bundle: BaseBundle,
  change: (code: number) => unknown,
): Forgery | null {
  const place = ['attempts', 0, 'steps', 0, 'termination'];
  const termination = recordOf(valueAt(found.receipt, ...place));
  if (termination['kind'] !== 'exited') return null;
  return alone(found, replaceAt(found.receipt, place, change(Number(termination['code']))));
}

function streamPath({ folder, receipt }: FoundReceipt, stream: string): string | null {
  const name = valueAt(receipt, 'attempts', 0, 'steps', 0, 'name');
  return typeof name === 'string' ? `${folder}/steps/1-${name}/${stream}` : null;
}

function exchangeStreams(found: FoundReceipt, bundle: BaseBundle): Forgery | null {
  const [out, err] = [streamPath(found, 'stdout'), streamPath(found, 'stderr')];
  if (out === null || err === null || !bundle.files.has(out) || !bundle.files.has(err)) return null;
  if (bundle.files.get(out)?.sha256 === bundle.files.get(err)?.sha256) return null;
  const step = recordOf(valueAt(found.receipt, 'attempts', 0, 'steps', 0));
  const exchanged = { ...step, stdout: step['stderr'], stderr: step['stdout'] };
  const receipt = replaceAt(found.receipt, ['attempts', 0, 'steps', 0], exchanged);
  const transcript = `${found.folder}/transcript.ndjson`;
  const lines = listAt(bundle.document(transcript)).map((line) => {
    const { stream } = recordOf(line);
    if (stream !== 'stdout' && stream !== 'stderr') return line;
    return { ...recordOf(line), stream: stream === 'stdout' ? 'stderr' : 'stdout' };
  });
  return {
    files: new Map([
      [found.path, encode(found.path, receipt)],
      [out, bundle.read(err)],
      [err, bundle.read(out)],
      [transcript, encode(transcript, lines)],
    ]),
    keepMentions: true,
  };
}

function borrowStream(found: FoundReceipt, other: FoundReceipt, bundle: BaseBundle): Forgery | null {
  const [own, theirs] = [streamPath(found, 'stdout'), streamPath(other, 'stdout')];
  if (own === null || theirs === null || !bundle.files.has(own) || !bundle.files.has(theirs)) return null;
  if (bundle.files.get(own)?.sha256 === bundle.files.get(theirs)?.sha256) return null;
  const place = ['attempts', 0, 'steps', 0, 'stdout'];
  const receipt = replaceAt(found.receipt, place, valueAt(other.receipt, ...place));
  return {
    files: new Map([
      [found.path, encode(found.path, receipt)],
      [own, bundle.read(theirs)],
    ]),
    keepMentions: true,
  };
}

/** The run as a whole told otherwise. */
export function reportKind(
  id: string,
  what: string,
  field: string,
  edit: (report: Readonly<Record<string, unknown>>) => unknown,
): Kind {
  return wholeKind(id, what, {
    document: 'report.json',
    field,
    place: `report.json.${field}`,
    make: (bundle) => {
      const before = recordOf(bundle.document('report.json'));
      const after = edit(before);
      if (after === null || JSON.stringify(after) === JSON.stringify(before)) return null;
      return { files: new Map([['report.json', editedBytes(bundle, 'report.json', () => after)]]) };
    },
  });
}
