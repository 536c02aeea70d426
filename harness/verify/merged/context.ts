import { choiceOf } from '../boundary/kind.ts';
import type { Findings } from '../finding.ts';
import { filesLike } from '../list/listed-files.ts';
import type { ReadBundle } from '../read-bundle.ts';
import { declaredShape } from '../shape/boundary.ts';

/** What must be the same in the reports of all shards. */
const SAME = [
  'candidate',
  'platform',
  'nodeVersions',
  'npmVersion',
  'scripts',
  'waivers',
  'harness',
  'suites',
  'nonce',
  'blocked',
] as const;
/** Files that all shards must have with the same bytes; archives may be embedded in some alone. */
const SHARED = /^(inputs\/(?!archives\/)|image\/.*(config\.json|inventory\.ndjson)$)/;

/** Holds every shard against the first: the same candidate, inputs, images, declared boundary and limits. */
export function checkOneContext(shards: readonly ReadBundle[], findings: Findings): void {
  const [first, ...others] = shards;
  if (first === undefined) return;
  if (first.report.blocked !== null) {
    findings.add('SHARD_CONTEXT', 'shards/1/report.json.blocked', 'a run', first.report.blocked.code);
  }
  for (const [position, other] of others.entries()) {
    const at = `shards/${position + 2}`;
    for (const field of SAME) {
      const [ours, theirs] = [first, other].map(({ report }) => JSON.stringify(report[field]));
      findings.same('SHARD_CONTEXT', `${at}/report.json.${field}`, ours, theirs);
    }
    const compare = (what: string, of: (one: ReadBundle) => unknown): void =>
      findings.same('SHARD_CONTEXT', `${at}/${what}`, JSON.stringify(of(first)), JSON.stringify(of(other)));
    compare('report.json.engine', ({ report: { engine } }) => [engine?.name, engine?.version]);
    compare('report.json.selection', ({ report: { selection } }) => [
      selection.only,
      selection.shard?.durationsSha256,
    ]);
    compare('report.json.limits', ({ report: { limits } }) => [limits.caseTimeoutMs, limits.repeat]);
    compare('inputs', sharedFiles);
    checkDeclared(first, other, at, findings);
  }
}

function sharedFiles({ bundle }: ReadBundle): readonly string[] {
  return filesLike(bundle.list.files, SHARED).map(({ path, sha256 }) => `${path} ${sha256}`);
}

/** Shards declare the kinds of boxes that their cases need; a kind that both have is the same. */
function checkDeclared(first: ReadBundle, other: ReadBundle, at: string, findings: Findings): void {
  const [ours, theirs] = [first, other].map(({ bundle }) =>
    bundle.document('boundary/declared.json', declaredShape),
  );
  if (ours === null || ours === undefined || theirs === null || theirs === undefined) return;
  const path = `${at}/boundary/declared.json`;
  findings.same(
    'SHARD_CONTEXT',
    `${path}.seccomp`,
    JSON.stringify(ours.seccomp),
    JSON.stringify(theirs.seccomp),
  );
  for (const { boundary, ...kind } of theirs.boundaries) {
    const same = ours.boundaries.find((one) => choiceOf(one) === choiceOf(kind));
    if (same === undefined) continue;
    findings.same(
      'SHARD_CONTEXT',
      `${path} ${choiceOf(kind)}`,
      JSON.stringify(same.boundary),
      JSON.stringify(boundary),
    );
  }
}
