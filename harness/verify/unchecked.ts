import type { OutsideViews } from './boundary/outside-files.ts';
import type { Bundle } from './bundle.ts';
import type { StoredReceipt } from './cases/outcome.ts';
import { hasSources } from './cases/sources.ts';
import { isWritable } from './cases/writable.ts';
import type { RecordedImage } from './inputs/image.ts';
import type { Inputs } from './inputs/inputs.ts';
import { nameSome } from './rebuild/rebuild.ts';
import type { SignedShards } from './requirements.ts';

/** What the caller gave, as far as it decides what could be checked. */
export interface Given {
  readonly candidate: boolean;
  readonly nonce: boolean;
  readonly suite: boolean;
  readonly key: boolean;
  readonly signed: boolean;
  /** Of merged evidence alone. */
  readonly shards: SignedShards | null;
  /** An auditor whose key was given vouches for a replay. */
  readonly replayed: boolean;
}

/** What nobody could check from these bytes alone, in words. Complete: what is not here was checked. */
export function listUnchecked(
  given: Given,
  parts: {
    readonly bundle: Bundle;
    readonly inputs: Inputs;
    readonly images: readonly RecordedImage[];
    readonly receipts: readonly StoredReceipt[];
    readonly views: OutsideViews;
    /** What building the images again left open; null when there was nothing to build them from. */
    readonly rebuilt: readonly string[] | null;
  },
): readonly string[] {
  return [
    ...uncheckedMaker(given),
    ...uncheckedShards(given),
    ...(parts.rebuilt ?? uncheckedLayers(parts.bundle, parts.inputs)),
    ...uncheckedScripts(parts.images),
    ...uncheckedPrograms(parts),
    ...uncheckedInputs(parts.bundle, parts.inputs),
    ...uncheckedRun(parts),
  ];
}

/** Told first, by the counts of the outcome: a run of some cases must not look like a run of all. */
export function uncheckedCases(counts: Readonly<Record<string, number>>): readonly string[] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const unseen = (['unrun', 'excluded'] as const)
    .map((outcome) => ({ outcome, count: counts[outcome] ?? 0 }))
    .filter(({ count }) => count > 0);
  if (unseen.length === 0) return [];
  const total = unseen.reduce((sum, { count }) => sum + count, 0);
  const parts = unseen.map(({ outcome, count }) => `${count} ${outcome}`).join(', ');
  return [`${total} of ${all} cases, which did not run: ${parts}`];
}

function uncheckedMaker({ candidate, nonce, suite, key, signed, replayed }: Given): readonly string[] {
  return [
    ...(signed && key ? [] : [signed ? 'who signed it: give --key' : 'who made it: the bundle is unsigned']),
    ...(replayed ? [] : ['that the recorded bytes are what the candidate prints: needs a replay']),
    ...(candidate ? [] : ['that this is the archive you mean: give --candidate']),
    ...(suite ? [] : ['that these are the cases you mean: give --suite']),
    ...(nonce ? [] : ['that this is the run you asked for: give --nonce']),
  ];
}

/** The merged statement is derived from the shards whoever signed them; that they were signed is more. */
function uncheckedShards({ shards, key }: Given): readonly string[] {
  if (shards === null || (key && shards.signed === shards.count)) return [];
  return key
    ? [`who made ${shards.count - shards.signed} of ${shards.count} shards: the given key did not sign them`]
    : [];
}

function uncheckedLayers(bundle: Bundle, { manifest }: Inputs): readonly string[] {
  const absent = manifest.archives.filter(
    ({ role, sha256 }) => role !== 'candidate' && !bundle.has(`inputs/archives/sha256/${sha256}`),
  ).length;
  return [
    ...(absent === 0 ? [] : [`the bytes of ${absent} archives that the bundle names by digest alone`]),
    'that the layers have their diff ids, and that files beside the candidate are those of their archives: give --archives',
  ];
}

function changedByScripts(images: readonly RecordedImage[]): readonly string[] {
  return [...new Set(images.flatMap((image) => [...image.changedByScripts]))].sort();
}

/** What a script wrote follows from no archive; a replay with scripts shows whether it writes the same again. */
function uncheckedScripts(images: readonly RecordedImage[]): readonly string[] {
  const changed = changedByScripts(images);
  return changed.length === 0
    ? []
    : [`files of the candidate that install scripts changed: ${nameSome(changed)}`];
}

/**
 * A program in a writable place is what the suite lays there, one of the candidate what its archive holds; any other
 * is what the inventory says that it is, until its layer is built again.
 */
function uncheckedPrograms({
  inputs,
  images,
  receipts,
  rebuilt,
}: {
  readonly inputs: Inputs;
  readonly images: readonly RecordedImage[];
  readonly receipts: readonly StoredReceipt[];
  readonly rebuilt: readonly string[] | null;
}): readonly string[] {
  const programs = receipts.flatMap((receipt) => receipt.programs);
  const unlisted = programs.filter((path) => path === null).length;
  const { name } = inputs.audit.candidate;
  const own = inputs.archive.fault === null ? CANDIDATE_HOMES.map((home) => `${home}/${name}/`) : [];
  const changed = new Set(
    changedByScripts(images).flatMap((path) =>
      CANDIDATE_HOMES.map((home) => `${home}/${path.slice(path.indexOf('/') + 1)}`),
    ),
  );
  const isProven = (path: string): boolean =>
    isWritable(path) ||
    (!changed.has(path) &&
      own.some((home) => path.startsWith(home) && !path.startsWith(`${home}node_modules/`)));
  const unproven = programs.filter((path) => path !== null && !isProven(path)).length;
  return [
    ...(unlisted === 0
      ? []
      : [`what ${unlisted} controls and references ran: no listed file is their program`]),
    ...(unproven === 0 || rebuilt !== null
      ? []
      : [
          `that the programs of ${unproven} controls and references are those of pinned archives: the inventory alone has their digests`,
        ]),
  ];
}

/** Where the candidate's own files lie in an image. */
const CANDIDATE_HOMES = ['/opt/candidate/node_modules', '/opt/candidate/global/lib/node_modules'];

function uncheckedInputs(bundle: Bundle, { archive }: Inputs): readonly string[] {
  return [
    ...(archive.fault === null
      ? []
      : [`the candidate's files in the image: its archive holds ${archive.fault}`]),
    ...(hasSources(bundle)
      ? ['that each suite.json is what its suite.yaml compiles to: the compile is not repeated here']
      : []),
    'what the audit found in the archive, beyond its size, its entries, its name and its version',
    'that the program that made it is the published one: compare harness with the release',
  ];
}

function uncheckedRun({
  receipts,
  views,
}: {
  readonly receipts: readonly StoredReceipt[];
  readonly views: OutsideViews;
}): readonly string[] {
  const unread = new Set(
    [...views.values()].flatMap((view) =>
      (['status', 'mounts', 'namespaces', 'limits'] as const).filter((part) => view[part] === null),
    ),
  );
  const unjudged = receipts.filter(({ receipt }) => receipt.outcome === 'error').length;
  return [
    'the wording of messages and details, the names and times an engine gives its boxes, and times beyond their order and bounds',
    ...(unread.size === 0
      ? []
      : [`${[...unread].join(', ')} of boxes from outside: the host could not read it`]),
    ...(unjudged === 0 ? [] : [`why ${unjudged} cases could not be judged`]),
  ];
}
