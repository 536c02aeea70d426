import type { BaseBundle } from '../base-bundle.ts';
import { editedBytes, encode, forge } from '../forgery.ts';
import type { Draft, Field, Kind } from '../kind.ts';
import { documentOf, nodesOf, type Place, replaceAt, showPlace } from '../places.ts';
import { recordOf } from './receipts.ts';

/** The weaker end of each restriction; others are changed by the kinds that go through every value. */
const RELAXED: Readonly<Record<string, unknown>> = {
  capabilities: ['CAP_SYS_ADMIN'],
  cgroupNamespace: 'host',
  cpuMillis: 64_000,
  gid: 0,
  hostname: 'host',
  ipc: 'host',
  maskedPaths: [],
  memoryBytes: 68_719_476_736,
  memorySwapBytes: 137_438_953_472,
  mounts: [],
  network: 'host',
  noNewPrivileges: false,
  pidsLimit: 65_536,
  readonlyPaths: [],
  resourceLimits: [],
  rootReadOnly: false,
  supplementaryGids: [0],
  uid: 0,
};

/** Words of the engine's own view for the same restrictions. */
const RELAXED_WORDS: Readonly<Record<string, unknown>> = {
  ...RELAXED,
  cgroupNamespaceMode: 'host',
  devices: ['/dev/sda'],
  hostBinds: ['/'],
  ipcMode: 'host',
  networkMode: 'host',
  pidMode: 'host',
  privileged: true,
  user: '0:0',
  utsMode: 'host',
  writableMounts: [],
  CapEff: '000001ffffffffff',
  CapBnd: '000001ffffffffff',
  NoNewPrivs: '0',
  Seccomp: '0',
  Uid: '0 0 0 0',
  Gid: '0 0 0 0',
};

const BOUNDARY = /^boundary\/.*\.json$/;

function relaxedKind(id: string, what: string, scope: 'declared' | 'one' | 'all'): Kind {
  return {
    id,
    level: 'b',
    what,
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      const documents = bundle.documents().filter((path) => BOUNDARY.test(path));
      const subjects = documents.filter(
        (path) => (scope === 'declared') === path.endsWith('declared.json') || scope === 'all',
      );
      yield* limitDrafts(bundle, scope);
      if (scope === 'all') {
        for (const name of Object.keys(RELAXED_WORDS)) {
          const files = new Map(subjects.flatMap((path) => relaxed(bundle, path, name)));
          if (files.size > 0) yield draftOf(bundle, { document: 'boundary', field: name }, files);
        }
        return;
      }
      for (const path of subjects) {
        for (const name of Object.keys(RELAXED_WORDS)) {
          const files = new Map(relaxed(bundle, path, name));
          if (files.size > 0)
            yield draftOf(bundle, { document: path.replace(/[0-9a-f]{64}/, '*'), field: name }, files);
        }
      }
    },
  };
}

const SUITE = /^inputs\/suites\/[^/]+\/suite\.json$/;

/** The limits that a case chose, where a document tells of them. */
function limitsIn(
  document: unknown,
): readonly { readonly place: Place; readonly value: readonly unknown[] }[] {
  return nodesOf(document).flatMap(({ place, value }) =>
    place.at(-1) === 'limits' && Array.isArray(value) && value.length > 0 ? [{ place, value }] : [],
  );
}

/** What a forger makes of limits: none, or twice as much. */
const LOOSER: Readonly<Record<string, (limits: readonly unknown[]) => readonly unknown[]>> = {
  'limits dropped': () => [],
  'limits doubled': (limits) =>
    limits.map((limit) => ({ ...recordOf(limit), value: Number(recordOf(limit)['value']) * 2 })),
};

/** Limits of single cases: chosen by a suite, told by every view of their boxes. */
function* limitDrafts(bundle: BaseBundle, scope: 'declared' | 'one' | 'all'): Generator<Draft> {
  const isDeclaration = (path: string): boolean => SUITE.test(path) || path.endsWith('declared.json');
  const told = bundle.documents().filter((path) => SUITE.test(path) || BOUNDARY.test(path));
  for (const [field, loosen] of Object.entries(LOOSER)) {
    const loosened = told.flatMap((path): readonly (readonly [string, Uint8Array])[] => {
      const before = bundle.document(path);
      let after = before;
      for (const { place, value } of limitsIn(before)) after = replaceAt(after, place, loosen(value));
      return after === before ? [] : [[path, encode(path, after)]];
    });
    if (loosened.length === 0) continue;
    if (scope === 'all') {
      yield draftOf(bundle, { document: 'boundary', field }, new Map(loosened));
      if (field === 'limits doubled')
        yield draftOf(bundle, { document: 'boundary', field: 'values doubled' }, doubled(bundle, told));
      continue;
    }
    for (const [path, bytes] of loosened) {
      if ((scope === 'declared') !== isDeclaration(path)) continue;
      yield draftOf(bundle, { document: documentOf(path), field }, new Map([[path, bytes]]));
    }
  }
}

/** Every number that is one of these limits, twice as large: in the boundary itself and in each view as well. */
function doubled(bundle: BaseBundle, paths: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const values = paths
    .flatMap((path) => limitsIn(bundle.document(path)))
    .flatMap(({ value }) => value.map((limit) => String(recordOf(limit)['value'])));
  const number = new RegExp(`(?<![0-9])(?:${[...new Set(values)].join('|')})(?![0-9])`, 'g');
  return new Map(
    paths.flatMap((path) => {
      const before = bundle.read(path).toString('utf8');
      const after = before.replace(number, (value) => String(Number(value) * 2));
      return after === before ? [] : [[path, Buffer.from(after, 'utf8')] as const];
    }),
  );
}

function draftOf(
  bundle: BaseBundle,
  { document, field }: Field,
  files: ReadonlyMap<string, Uint8Array>,
): Draft {
  const place = `${[...files.keys()].join(', ')}.${field}`;
  return { document, field, place, changes: () => forge(bundle, { files }) };
}

function relaxed(bundle: BaseBundle, path: string, name: string): readonly (readonly [string, Uint8Array])[] {
  const before = bundle.document(path);
  let after = before;
  for (const { place, value } of nodesOf(before)) {
    if (place.at(-1) !== name || JSON.stringify(value) === JSON.stringify(RELAXED_WORDS[name])) continue;
    after = replaceAt(after, place, RELAXED_WORDS[name]);
  }
  return after === before ? [] : [[path, encode(path, after)]];
}

export const MEASURED = 'boundary/measured.json';

const trialKind: Kind = {
  id: 'trial-allowed',
  level: 'b',
  what: 'an attempt to break out told to have been allowed',
  perField: 12,
  drafts: function* (bundle): Generator<Draft> {
    if (!bundle.files.has(MEASURED)) return;
    for (const { place, value } of nodesOf(bundle.document(MEASURED))) {
      if (place.at(-2) !== 'outcomes' || value === 'allowed') continue;
      const edit = (document: unknown): unknown => replaceAt(document, place, 'allowed');
      const files = new Map([[MEASURED, editedBytes(bundle, MEASURED, edit)]]);
      yield {
        document: MEASURED,
        field: 'views[].measured.outcomes.*',
        place: `${MEASURED}${showPlace(place)}`,
        changes: () => forge(bundle, { files }),
      };
    }
  },
};

/** Ways to tell of a boundary that was weaker than what is declared, or than what the format grants. */
export const BOUNDARY_KINDS: readonly Kind[] = [
  relaxedKind('boundary-relaxed', 'a restriction relaxed where it is declared', 'declared'),
  relaxedKind('boundary-seen-relaxed', 'a restriction told to have been found relaxed', 'one'),
  relaxedKind('boundary-relaxed-throughout', 'a restriction relaxed in every place that tells of it', 'all'),
  trialKind,
];
