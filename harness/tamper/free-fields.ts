import type { Field } from './kind.ts';
import { IN_SHARD } from './shard-drafts.ts';

/** A field of unsigned evidence that may hold another value without anything in the bundle contradicting it. */
export interface FreeField extends Field {
  /** Why nothing contradicts it. */
  readonly why: string;
  /** In which evidence it is free: any, or that of a candidate that was stopped before anything ran. */
  readonly within: 'any' | 'stopped';
}

/** Fields of one document that are free for one reason. A star at the end of a field stands for all below it. */
function free(document: string, fields: readonly string[], why: string): readonly FreeField[] {
  return fields.map((field) => ({ document, field, why, within: 'any' }));
}

/** The same, free only where a candidate was stopped before anything ran. */
function freeWhenStopped(document: string, fields: readonly string[], why: string): readonly FreeField[] {
  return fields.map((field) => ({
    document,
    field,
    why: `of a candidate that was stopped alone: ${why}`,
    within: 'stopped',
  }));
}

const OBSERVED = 'what the candidate did, where no check of the suite looks at it: a replay shows it';
const CLOCK = 'a time, within the bounds that other times set';
const ENGINE = 'what the engine says of itself and of its boxes';
const ARCHIVES = 'follows from archives that the bundle names by digest alone';
const UNREAD = 'may be absent: not every engine lets it be read';
const IGNORED = 'members that the format does not know are ignored, as in-toto asks';
/** Of one listed file, in `files.ndjson` and `controls.ndjson` alike. */
const ENTRY_FIELDS = [
  '[].gid',
  '[].kind',
  '[].mode',
  '[].mtimeMs',
  '[].path',
  '[].sha256',
  '[].sizeBytes',
  '[].target',
  '[].uid',
];

const ORDER = 'the order and the repetition of what a kernel lists mean nothing';

const OUTSIDE = (prefix: string, document: string): readonly FreeField[] => [
  ...free(
    document,
    ['status', 'mounts', 'namespaces', 'limits', 'namespaces.time', 'namespaces.user'].map(
      (name) => prefix + name,
    ),
    UNREAD,
  ),
  ...free(
    document,
    ['mounts[].options', 'mounts[].options[]', 'mounts[].path', 'mounts[].type'].map((name) => prefix + name),
    ORDER,
  ),
];

/**
 * The closed list of what only a signature or a replay can vouch for; a change of anything else that is accepted
 * is a defect of the verifier. The table in docs/tampering.md is this list.
 */
export const FREE_FIELDS: readonly FreeField[] = [
  ...free('bundle.json', ['runId'], 'a name: --nonce ties a run to a request'),
  ...OUTSIDE('views[].outside.', 'boundary/engine.json'),
  ...OUTSIDE('outside.', 'boundary/outside/*.json'),
  ...free('boundary/measured.json', ['views[].measured.limits.*'], UNREAD),
  ...free(
    'boundary/measured.json',
    [
      'views[].measured.devices',
      'views[].measured.mounts',
      'views[].measured.mounts[].options',
      'views[].measured.mounts[].options[]',
      'views[].measured.mounts[].path',
      'views[].measured.devices[]',
    ],
    ORDER,
  ),
  ...free('cases/*/files.ndjson', ['', ...ENTRY_FIELDS], OBSERVED),
  ...free(
    'cases/*/controls.ndjson',
    ENTRY_FIELDS,
    'what a control did, where no check of the suite looks at it: a replay shows it',
  ),
  ...free(
    'cases/*/files/*',
    [''],
    'what is in a file that was left, where the check that looks into it fails without it: a replay shows it',
  ),
  ...free(
    'cases/*/receipt.json',
    [
      'attempts[].leftovers[].*',
      'attempts[].steps[].stdout',
      'attempts[].steps[].stderr',
      'attempts[].steps[].stdout.eofSeen',
      'attempts[].steps[].stderr.eofSeen',
      'attempts[].steps[]',
      'attempts[].steps[].termination',
      'attempts[].steps[].termination.code',
      'attempts[].steps[].termination.errno',
      'attempts[].steps[].termination.signal',
      'checks[].message',
      'detail',
    ],
    OBSERVED,
  ),
  ...free(
    'cases/*/receipt.json',
    [
      'attempts[].steps[].durationMs',
      'attempts[].steps[].startedAt',
      'attempts[].steps[].stdout.lastByteAtMs',
      'attempts[].steps[].stderr.lastByteAtMs',
      'attempts[].teardown[].atMs',
    ],
    CLOCK,
  ),
  ...free(
    'cases/*/receipt.json',
    ['attempts[].end.inspect.*', 'attempts[].end.oomKills', 'attempts[].boxId'],
    ENGINE,
  ),
  ...free(
    'cases/*/receipt.json',
    ['attempts[].teardown[].detail'],
    'the words of an engine that gave no answer, where nothing depends on it',
  ),
  ...free(
    'cases/*/receipt.json',
    ['attempts[].outsideSha256'],
    'boxes of one kind are alike, and so are their views',
  ),
  ...free('cases/*/transcript.ndjson', ['[].atMs'], CLOCK),
  ...free('cases/*/transcript.ndjson', ['', '[].sizeBytes'], OBSERVED),
  ...free(
    'image/inventory.ndjson',
    ['[].mode', '[].path', '[].sha256', '[].sizeBytes', '[].target'],
    ARCHIVES,
  ),
  ...free('image/readback.json', ['engineId'], ENGINE),
  ...free('image/readback.json', ['transforms', 'transforms[].*'], ARCHIVES),
  ...free(
    'inputs/audit.json',
    ['findings', 'findings[].*', 'manifest', 'manifest.*'],
    'the audit of the archive is not made again by the verifier',
  ),
  ...free(
    'inputs/manifest.json',
    ['archives', 'archives[].name', 'archives[].sha256', 'archives[].sha512', 'archives[].sizeBytes'],
    ARCHIVES,
  ),
  ...free(
    'inputs/package-lock.json',
    ['', 'lockfileVersion', 'name', 'requires', 'version', 'packages.*'],
    ARCHIVES,
  ),
  ...free('report.json', ['engine.*', 'watchdog.kills', 'watchdog.kills[].*'], ENGINE),
  ...free(
    'report.json',
    [
      'finishedAt',
      'startedAt',
      'timings.casesMs',
      'timings.probeMs',
      'timings.prepareMs',
      'durationMs',
      'watchdog.firedAtMs',
    ],
    CLOCK,
  ),
  ...free('report.json', ['harness.*'], 'which build ran: --require harness=… ties it to one'),
  ...free(
    'report.json',
    ['limits.caseTimeoutMs', 'limits.jobs'],
    'what the run was asked for, where no step came near it',
  ),
  ...free(
    'statement.json',
    ['', 'predicate', 'predicate.configuration[]', 'predicate.configuration[].digest'],
    IGNORED,
  ),
  ...free('statement-boundary.json', ['', 'predicate'], IGNORED),
  ...free(
    'statement-image.json',
    ['', 'predicate', 'predicate.buildDefinition', 'predicate.runDetails'],
    IGNORED,
  ),
  ...freeWhenStopped(
    'report.json',
    ['blocked.actual', 'blocked.code', 'blocked.expected', 'blocked.stage', 'blocked.where'],
    'where no unsafe finding of the audit is the cause, the runner alone knows it',
  ),
  ...freeWhenStopped(
    'report.json',
    ['budget.limitMs', 'limits.repeat', 'nodeVersions', 'nodeVersions[]'],
    'what the run was asked for, where nothing ran',
  ),
  ...freeWhenStopped(
    'inputs/audit.json',
    ['candidate.name', 'candidate.version', 'complete', 'entries', 'root', 'unpackedBytes'],
    'of a broken archive two readers see different parts',
  ),
  ...free('statement.json', ['predicate.configuration'], 'the order of descriptors means nothing'),
];

/** The folder of the image of each Node version behind the first; its files are those of `image/`. */
const FURTHER_IMAGE = 'image/node-*/';

/**
 * The entry that covers a field, or null: then nothing excuses that a change of it was accepted. `stopped`: the
 * evidence is that of a candidate that was stopped before anything ran. In a shard no more is free than in a bundle
 * that stands alone, and of the images of further Node versions no more than of the first.
 */
export function freeField({ document: told, field }: Field, stopped: boolean): FreeField | null {
  const alone = told.startsWith(IN_SHARD) ? told.slice(IN_SHARD.length) : told;
  const document = alone.startsWith(FURTHER_IMAGE) ? `image/${alone.slice(FURTHER_IMAGE.length)}` : alone;
  return (
    FREE_FIELDS.find(
      (one) =>
        one.document === document &&
        (one.within === 'any' || stopped) &&
        (one.field === field || (one.field.endsWith('.*') && field.startsWith(one.field.slice(0, -1)))),
    ) ?? null
  );
}
