import { createHash } from 'node:crypto';
import { type BaseBundle, INDEX, STATEMENT } from '../base-bundle.ts';
import { type Edit, encode, type Forgery } from '../forgery.ts';
import type { Field, Kind } from '../kind.ts';
import { replaceAt, valueAt } from '../places.ts';
import { MEASURED } from './boundary-kinds.ts';
import { reportKind } from './case-kinds.ts';
import { listAt, recordOf } from './receipts.ts';
import { wholeKind } from './whole-kind.ts';

function documentKind(
  id: string,
  what: string,
  { document, field, edit }: Field & { readonly edit: (value: unknown) => unknown },
): Kind {
  return wholeKind(id, what, {
    document,
    field,
    make: (bundle) => {
      if (!bundle.files.has(document)) return null;
      const before = bundle.document(document);
      const after = edit(before);
      if (JSON.stringify(after) === JSON.stringify(before)) return null;
      return { files: new Map([[document, encode(document, after)]]) };
    },
  });
}

/** One text in place of another, in every document and name that holds it. */
function retold(bundle: BaseBundle, replace: (text: string) => string): Map<string, Uint8Array | null> {
  const files = new Map<string, Uint8Array | null>();
  for (const path of bundle.documents()) {
    const before = bundle.read(path).toString('utf8');
    const after = replace(before);
    if (after !== before) files.set(path, Buffer.from(after, 'utf8'));
  }
  return files;
}

function retoldStatements(
  bundle: BaseBundle,
  replace: (text: string) => string,
): Readonly<Record<string, Edit>> {
  const edit: Edit = (statement) => JSON.parse(replace(JSON.stringify(statement)));
  return Object.fromEntries(bundle.statements.map((path) => [path, edit]));
}

const DAY_MS = 86_400_000;

function aDayEarlier(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => {
    const fraction = /\.\d+(?=Z$)/.exec(time)?.[0] ?? '';
    const earlier = new Date(Date.parse(time) - DAY_MS).toISOString();
    return earlier.replace(/\.\d+Z$/, `${fraction}Z`);
  });
}

/** The run of yesterday, told to be that of today: all of its times and its id are its own. */
function olderRun(bundle: BaseBundle): Forgery {
  const { runId } = bundle.index;
  const other = runId.replace(/^\d{8}/, (day) => String(Number(day) - 1));
  const replace = (text: string): string => aDayEarlier(text).replaceAll(runId, other);
  return {
    files: retold(bundle, replace),
    index: (index) => replaceAt(index, ['runId'], other),
    statements: retoldStatements(bundle, replace),
  };
}

const CANDIDATE = 'inputs/candidate.tgz';

/** Other bytes of the archive, every digest and size of it told anew in every form; each shard has its own copy. */
function otherCandidate(bundle: BaseBundle): Forgery | null {
  const copies = [...bundle.files.keys()].filter((path) => path.endsWith(CANDIDATE));
  const [first] = copies;
  if (first === undefined) return null;
  const before = bundle.read(first);
  const after = Buffer.concat([before, Buffer.alloc(512)]);
  const digest = (bytes: Buffer, name: string): Buffer => createHash(name).update(bytes).digest();
  const replace = (text: string): string =>
    text
      .replaceAll(digest(before, 'sha512').toString('hex'), digest(after, 'sha512').toString('hex'))
      .replaceAll(digest(before, 'sha512').toString('base64'), digest(after, 'sha512').toString('base64'))
      .replaceAll(digest(before, 'sha256').toString('hex'), digest(after, 'sha256').toString('hex'))
      .replaceAll(`"sizeBytes":${before.length}`, `"sizeBytes":${after.length}`);
  const files = retold(bundle, replace);
  for (const path of copies) files.set(path, after);
  return { files, statements: retoldStatements(bundle, replace) };
}

function renamedCandidate(bundle: BaseBundle): Forgery | null {
  const name = valueAt(bundle.document('report.json'), 'candidate', 'name');
  if (typeof name !== 'string' || name === 'unknown') return null;
  const replace = (text: string): string => text.replaceAll(JSON.stringify(name), JSON.stringify(`${name}x`));
  return {
    files: retold(bundle, replace),
    statements: retoldStatements(bundle, replace),
  };
}

const firstOf = (list: readonly unknown[]): readonly unknown[] => list.slice(1);

const shrink =
  (...place: readonly (string | number)[]) =>
  (document: unknown): unknown => {
    const list = listAt(document, ...place);
    return list.length === 0 ? document : replaceAt(document, place, firstOf(list));
  };

const grow =
  (value: unknown, ...place: readonly (string | number)[]) =>
  (document: unknown): unknown =>
    replaceAt(document, place, [...listAt(document, ...place), value]);

export const RUN_KINDS: readonly Kind[] = [
  reportKind('exit-code-told-otherwise', 'another exit code of the run', 'exitCode', (report) => ({
    ...report,
    exitCode: report['exitCode'] === 0 ? 1 : 0,
    result: report['exitCode'] === 0 ? 'failed' : 'passed',
  })),
  reportKind('counts-moved', 'a case counted under another outcome', 'counts', (report) => {
    const counts = recordOf(report['counts']);
    return {
      ...report,
      counts: { ...counts, pass: Number(counts['pass']) + 1, unsupported: Number(counts['unsupported']) - 1 },
    };
  }),
  reportKind('scripts-hidden', 'install scripts told not to have run, or to have', 'scripts', (report) => ({
    ...report,
    scripts: report['scripts'] === 'off' ? 'on' : 'off',
  })),
  reportKind('suite-untold', 'a suite left out of the report', 'suites', (report) => ({
    ...report,
    suites: [],
  })),
  reportKind('node-version-changed', 'another version of Node told', 'nodeVersions', (report) =>
    // Where nothing ran, no image and no box tells of a version.
    report['blocked'] === null ? { ...report, nodeVersions: ['20.0.0'] } : report,
  ),
  reportKind('interruption-told', 'a run told to have been interrupted', 'interruptedBy', (report) => ({
    ...report,
    interruptedBy: report['interruptedBy'] === null ? 'SIGINT' : null,
  })),
  reportKind('blocked-told', 'a run told to have been stopped before it ran', 'blocked', (report) =>
    // What a run that was stopped says of it is free: nothing else in the bundle repeats it.
    report['blocked'] === null
      ? { ...report, blocked: { stage: 'audit', code: 'X', where: 'x', expected: 'x', actual: 'x' } }
      : report,
  ),
  wholeKind('older-run', 'the run of a day before, whole', {
    document: 'report.json',
    field: 'startedAt',
    make: olderRun,
  }),
  wholeKind('run-renamed', 'another id of the run, everywhere', {
    document: INDEX,
    field: 'runId',
    make: (bundle) => {
      const { runId } = bundle.index;
      const other = runId.replace(/.$/, (letter) => (letter === '0' ? '1' : '0'));
      return {
        files: retold(bundle, (text) => text.replaceAll(runId, other)),
        statements: retoldStatements(bundle, (text) => text.replaceAll(runId, other)),
        index: (index) => replaceAt(index, ['runId'], other),
      };
    },
  }),
  wholeKind('nonce-changed', 'another nonce, everywhere', {
    document: INDEX,
    field: 'nonce',
    make: (bundle) => {
      const { nonce } = bundle.index;
      if (nonce === null) return null;
      const other = `${nonce}x`;
      const files = retold(bundle, (text) => text.replaceAll(JSON.stringify(nonce), JSON.stringify(other)));
      return { files, index: (index) => replaceAt(index, ['nonce'], other) };
    },
  }),
  wholeKind('candidate-replaced', 'the evidence of another archive, every digest of it told anew', {
    document: CANDIDATE,
    field: '',
    make: otherCandidate,
  }),
  wholeKind('candidate-renamed', 'another name of the candidate, everywhere', {
    document: 'report.json',
    field: 'candidate.name',
    make: renamedCandidate,
  }),
  wholeKind('boundary-dropped', 'no boundary at all', {
    document: 'boundary',
    field: '',
    make: (bundle) =>
      bundle.files.has('boundary/declared.json') ? { files: new Map([['boundary', null]]) } : null,
  }),
  wholeKind('image-dropped', 'no image at all', {
    document: 'image',
    field: '',
    make: (bundle) => (bundle.files.has('image/config.json') ? { files: new Map([['image', null]]) } : null),
  }),
  wholeKind('suites-dropped', 'no suites at all', {
    document: 'inputs/suites',
    field: '',
    make: (bundle) =>
      [...bundle.files.keys()].some((path) => path.startsWith('inputs/suites/'))
        ? { files: new Map([['inputs/suites', null]]) }
        : null,
  }),
  wholeKind('file-slipped-in', 'a file that nothing explains, listed as it should be', {
    document: 'cases',
    field: '',
    make: () => ({ files: new Map([['cases/more', Buffer.from('x')]]) }),
  }),
  documentKind('trials-dropped', 'attempts to break out left out', {
    document: MEASURED,
    field: 'views[].measured.outcomes',
    edit: (document) => replaceAt(document, ['views', 0, 'measured', 'outcomes'], {}),
  }),
  documentKind('syscall-allowed', 'a system call allowed by the policy', {
    document: 'boundary/declared.json',
    field: 'seccomp.allow',
    edit: grow('ptrace', 'seccomp', 'allow'),
  }),
  documentKind('view-dropped', 'a view of the engine left out', {
    document: 'boundary/engine.json',
    field: 'views',
    edit: shrink('views'),
  }),
  documentKind('layer-dropped', 'a layer of the image left out', {
    document: 'image/config.json',
    field: 'rootfs.diff_ids',
    edit: shrink('rootfs', 'diff_ids'),
  }),
  documentKind('image-finding-added', 'a difference between image and inventory told', {
    document: 'image/readback.json',
    field: 'findings',
    edit: grow({ code: 'IMAGE_FILE_EXTRA', path: 'x', expected: null, actual: 'file' }, 'findings'),
  }),
  documentKind('dependency-slipped-in', 'a dependency put into the lock', {
    document: 'inputs/package-lock.json',
    field: 'packages.*',
    edit: (document) =>
      replaceAt(document, ['packages', 'node_modules/slipped-in'], {
        version: '1.0.0',
        integrity: `sha512-${Buffer.alloc(64).toString('base64')}`,
      }),
  }),
  documentKind('archive-dropped', 'an archive left out of the manifest', {
    document: 'inputs/manifest.json',
    field: 'archives',
    edit: shrink('archives'),
  }),
  documentKind('archive-slipped-in', 'an archive put into the manifest', {
    document: 'inputs/manifest.json',
    field: 'archives',
    edit: grow(
      {
        role: 'dependency',
        name: 'node_modules/x',
        sizeBytes: 1,
        sha256: '0'.repeat(64),
        sha512: '0'.repeat(128),
      },
      'archives',
    ),
  }),
  documentKind('gate-told', 'a finding of the audit that gates put in', {
    document: 'inputs/audit.json',
    field: 'findings',
    edit: grow(
      { code: 'X', severity: 'gate', unsafe: false, path: 'p', expected: '', actual: '', waived: null },
      'findings',
    ),
  }),
  documentKind('finding-waived', 'a waived finding of the audit put in', {
    document: 'inputs/audit.json',
    field: 'findings',
    edit: grow(
      {
        code: 'X',
        severity: 'gate',
        unsafe: false,
        path: 'p',
        expected: '',
        actual: '',
        waived: { reason: 'r', expires: '2999-01-01' },
      },
      'findings',
    ),
  }),
  documentKind('finding-hidden', 'a finding of the audit left out', {
    document: 'inputs/audit.json',
    field: 'findings',
    edit: shrink('findings'),
  }),
  documentKind('inventory-cut', 'a file left out of the inventory', {
    document: 'image/inventory.ndjson',
    field: '',
    edit: (lines) => (Array.isArray(lines) ? lines.slice(0, -1) : lines),
  }),
  statementKind('subject-changed', 'a statement about another package', 'subject', (statement) =>
    replaceAt(statement, ['subject', 0, 'name'], 'pkg:npm/other@1.0.0'),
  ),
  statementKind('subject-added', 'a statement about a further package', 'subject', (statement) =>
    replaceAt(statement, ['subject', 1], { name: 'pkg:npm/other@1.0.0', digest: { sha256: '0'.repeat(64) } }),
  ),
  statementKind('result-claimed', 'another result in the statement', 'predicate.result', (statement) =>
    replaceAt(
      statement,
      ['predicate', 'result'],
      valueAt(statement, 'predicate', 'result') === 'PASSED' ? 'FAILED' : 'PASSED',
    ),
  ),
  statementKind('test-claimed', 'a case claimed that never was', 'predicate.passedTests', (statement) =>
    grow('never@1.0.0', 'predicate', 'passedTests')(statement),
  ),
  statementKind('predicate-changed', 'another kind of statement', 'predicateType', (statement) =>
    replaceAt(statement, ['predicateType'], 'https://slsa.dev/provenance/v1'),
  ),
];

function statementKind(id: string, what: string, field: string, edit: (statement: unknown) => unknown): Kind {
  return wholeKind(id, what, {
    document: STATEMENT,
    field,
    make: () => ({ statements: { [STATEMENT]: edit } }),
  });
}
