import type { BaseBundle } from '../base-bundle.ts';
import { encode, type Forgery, forge } from '../forgery.ts';
import type { Draft, Field, Kind } from '../kind.ts';
import { replaceAt } from '../places.ts';
import { eachKind } from './each-kind.ts';
import { type FoundReceipt, listAt, receiptsOf, recordOf } from './receipts.ts';

type Line = Readonly<Record<string, unknown>>;

/** What is told of the controls and references of one attempt. */
interface FoundControls extends FoundReceipt {
  readonly file: string;
  readonly lines: readonly Line[];
  /** Names of the steps, in their order. */
  readonly steps: readonly string[];
}

const DOCUMENT = 'cases/*/controls.ndjson';

function controlsOf(bundle: BaseBundle): readonly FoundControls[] {
  return receiptsOf(bundle).flatMap((found) => {
    const file = `${found.folder}/controls.ndjson`;
    if (!bundle.files.has(file)) return [];
    const lines = listAt(bundle.document(file)).map(recordOf);
    return [{ ...found, file, lines, steps: [...new Set(lines.map(({ step }) => String(step)))] }];
  });
}

/** A forgery of what is told of controls. `make` answers with the lines and the events of the attempt that take their place. */
function controlsKind(
  id: string,
  what: string,
  { field, make }: Pick<Field, 'field'> & { readonly make: (found: FoundControls) => Forged | null },
): Kind {
  return eachKind(id, what, {
    document: DOCUMENT,
    field,
    find: controlsOf,
    make: (found) => {
      const forged = make(found);
      return forged === null ? null : toForgery(found, forged);
    },
  });
}

interface Forged {
  readonly lines: readonly Line[];
  /** Events at the end of the box; absent: as they were. */
  readonly events?: readonly unknown[];
}

function toForgery(found: FoundControls, { lines, events }: Forged): Forgery {
  const files = new Map<string, Uint8Array>([[found.file, encode(found.file, lines)]]);
  if (events !== undefined) {
    files.set(found.path, encode(found.path, replaceAt(found.receipt, EVENTS, events)));
  }
  return { files };
}

const EVENTS = ['attempts', 0, 'teardown'] as const;

function eventsOf({ receipt }: FoundControls): readonly Line[] {
  return listAt(receipt, ...EVENTS).map(recordOf);
}

const of =
  (step: string, when?: string) =>
  (line: Line): boolean =>
    line['step'] === step && (when === undefined || line['when'] === when);

const not =
  (fits: (line: Line) => boolean) =>
  (line: Line): boolean =>
    !fits(line);

/** An event of what is done around a step, or of one look. */
function isEventOf(step: string, action?: string, look?: string) {
  return (event: Line): boolean => {
    const detail = String(event['detail']);
    const isOfStep = detail === step || detail.startsWith(`${step}: `) || detail.startsWith(`${step} `);
    const isOfLook = look === undefined || detail.startsWith(`${step} ${look}: `);
    return isOfStep && isOfLook && (action === undefined || event['action'] === action);
  };
}

/** The first file of a look that has other bytes in another step's. */
function exchanged({ lines, steps }: FoundControls, when: string): readonly Line[] | null {
  for (const step of steps) {
    for (const one of lines.filter(of(step, when))) {
      const other = lines.find(
        (line) => line['when'] === when && line['path'] === one['path'] && line['sha256'] !== one['sha256'],
      );
      if (other === undefined) continue;
      return lines.map((line) =>
        line === one ? withBytes(one, other) : line === other ? withBytes(other, one) : line,
      );
    }
  }
  return null;
}

function withBytes(line: Line, { sha256, sizeBytes }: Line): Line {
  return { ...line, sha256, sizeBytes };
}

/** What was there before the undo is told to be there after it. */
function notUndone(found: FoundControls): Forged | null {
  for (const step of found.steps) {
    const ran = found.lines.filter(of(step, 'ran')).map((line): Line => ({ ...line, when: 'undone' }));
    const undone = found.lines.filter(of(step, 'undone'));
    if (ran.length === 0 || JSON.stringify(ran) === JSON.stringify(undone)) continue;
    const before = found.lines.filter(not(of(step, 'undone')));
    const at = before.findLastIndex(of(step)) + 1;
    const isLook = isEventOf(step, 'snapshot', 'undone');
    const events = eventsOf(found).map((event) =>
      isLook(event) ? { ...event, detail: `${step} undone: ${ran.length} entries` } : event,
    );
    return { lines: before.toSpliced(at, 0, ...ran), events };
  }
  return null;
}

/** Another digest of the first program that is told. */
function changedProgram(lines: readonly Line[]): readonly Line[] | null {
  const line = lines.find((one) => one['when'] === 'program' && one['file'] !== null);
  const sha256 = recordOf(line?.['file'])['sha256'];
  if (line === undefined || typeof sha256 !== 'string') return null;
  return lines.map((one) => (one === line ? replaced(one, sha256) : one));
}

function replaced(line: Line, sha256: string): Line {
  return { ...line, file: { ...recordOf(line['file']), sha256: otherDigest(sha256) } };
}

function otherDigest(sha256: string): string {
  return sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
}

const INVENTORY = 'image/inventory.ndjson';

/** The program of a control told to be another one in every document that tells of its bytes. */
const programThroughoutKind: Kind = {
  id: 'control-program-changed-throughout',
  level: 'b',
  what: 'other bytes of the program of a control, in the inventory and in every record',
  perField: 2,
  drafts: function* (bundle): Generator<Draft> {
    const digests = new Map<string, string>();
    for (const { lines, file } of controlsOf(bundle)) {
      for (const { when, word, file: named } of lines) {
        const { sha256 } = recordOf(named);
        if (when === 'program' && word === 0 && typeof sha256 === 'string') digests.set(sha256, file);
      }
    }
    for (const [sha256, file] of digests) {
      const told = bundle.documents().filter((path) => bundle.read(path).includes(sha256));
      if (!told.includes(INVENTORY)) continue;
      const files = new Map(
        told.map((path) => {
          const text = bundle.read(path).toString('utf8').replaceAll(sha256, otherDigest(sha256));
          return [path, Buffer.from(text, 'utf8')] as const;
        }),
      );
      const changes = () => forge(bundle, { files });
      yield { document: INVENTORY, field: '[].sha256', place: `${INVENTORY} of ${file}`, changes };
    }
  },
};

/** Ways to tell of controls what was not. Fields are named so that what is free of a look is never free of these. */
export const CONTROL_KINDS: readonly Kind[] = [
  controlsKind('control-dropped', 'all that is told of a control left out of its record', {
    field: 'steps',
    make: ({ lines, steps }) => ({ lines: lines.filter(not(of(steps[0] ?? ''))) }),
  }),
  controlsKind('control-dropped-throughout', 'a control left out of its record and of the end of the box', {
    field: 'steps',
    make: (found) => {
      const [step = ''] = found.steps;
      const events = eventsOf(found).filter(not(isEventOf(step)));
      return { lines: found.lines.filter(not(of(step))), events };
    },
  }),
  controlsKind('controls-swapped', 'two controls told in the other order', {
    field: 'steps',
    make: ({ lines, steps: [first, second] }) =>
      first === undefined || second === undefined
        ? null
        : {
            lines: [
              ...lines.filter(of(second)),
              ...lines.filter(of(first)),
              ...lines.filter((line) => not(of(first))(line) && not(of(second))(line)),
            ],
          },
  }),
  controlsKind('controls-exchanged', 'two controls told to be each other', {
    field: 'steps',
    make: ({ lines, steps: [first, second] }) => {
      if (first === undefined || second === undefined) return null;
      const renamed = (from: string, to: string): readonly Line[] =>
        lines.filter(of(from)).map((line) => ({ ...line, step: to }));
      const rest = lines.filter((line) => not(of(first))(line) && not(of(second))(line));
      const forged = [...renamed(second, first), ...renamed(first, second), ...rest];
      return JSON.stringify(forged) === JSON.stringify(lines) ? null : { lines: forged };
    },
  }),
  controlsKind('control-given-exchanged', 'the bytes that two controls were given exchanged', {
    field: 'laid',
    make: (found) => toForged(exchanged(found, 'laid')),
  }),
  controlsKind('control-left-exchanged', 'the bytes that two controls left exchanged', {
    field: '[].sha256',
    make: (found) => toForged(exchanged(found, 'ran')),
  }),
  controlsKind('control-look-dropped', 'what was left after the undo of a control left out', {
    field: 'undone',
    make: ({ lines, steps: [step = ''] }) =>
      lines.some(of(step, 'undone')) ? { lines: lines.filter(not(of(step, 'undone'))) } : null,
  }),
  controlsKind('control-undo-dropped', 'the undo of a control, and the look after it, left out everywhere', {
    field: 'undone',
    make: (found) => {
      const [step = ''] = found.steps;
      const isUndo = (event: Line): boolean =>
        isEventOf(step, 'undo')(event) || isEventOf(step, 'snapshot', 'undone')(event);
      const events = eventsOf(found);
      if (!events.some(isUndo)) return null;
      return { lines: found.lines.filter(not(of(step, 'undone'))), events: events.filter(not(isUndo)) };
    },
  }),
  controlsKind('control-not-undone', 'what a control left told to be there after its undo', {
    field: 'undone',
    make: notUndone,
  }),
  controlsKind('control-program-changed', 'other bytes of the program of a control', {
    field: 'program',
    make: ({ lines }) => toForged(changedProgram(lines)),
  }),
  controlsKind('control-program-dropped', 'the program of a control left out', {
    field: 'program',
    make: ({ lines }) =>
      lines.some(({ when }) => when === 'program')
        ? { lines: lines.filter(({ when, word }) => when !== 'program' || word !== 0) }
        : null,
  }),
  controlsKind('control-program-hidden', 'the program of a control told to be in no listing', {
    field: 'program',
    make: ({ lines }) => {
      const hidden = lines.map((line) =>
        line['when'] === 'program' && line['word'] === 0 ? { ...line, file: null } : line,
      );
      return JSON.stringify(hidden) === JSON.stringify(lines) ? null : { lines: hidden };
    },
  }),
  programThroughoutKind,
];

function toForged(lines: readonly Line[] | null): Forged | null {
  return lines === null ? null : { lines };
}
