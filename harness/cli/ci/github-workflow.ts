import { Document, isScalar } from 'yaml';

/**
 * GitHub's own actions, each by the full commit that its release had: a tag can be moved, a commit cannot.
 * Newer releases are the user's to choose, as with every pin.
 */
const ACTIONS = {
  checkout: { uses: 'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8', release: 'v5.0.0' },
  setupNode: { uses: 'actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020', release: 'v4.4.0' },
  upload: { uses: 'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02', release: 'v4.6.2' },
  download: { uses: 'actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093', release: 'v4.3.0' },
} as const;

const RUNNER = 'ubuntu-24.04';
const NODE_VERSION = '22';
/** Ends a hung runner; a run itself ends with its budget. */
const TIMEOUT_MINUTES = 20;

const HEAD = ` One suite on several machines with packproof: prepare once, run every shard, merge, read back.
 Written by packproof init --ci github. Adapt "on" and the steps that pack the candidate.
 Every job only reads the repository. Actions are pinned by commit. packproof is pinned by version; with it in
 devDependencies and npm ci in each job it is pinned by digest too.`;

const CONTEXT = 'packproof-context';
/** Files go through artifacts as tar: artifacts lose modes and refuse some names. */
const CONTEXT_TAR = 'context.tar';

type Step = Readonly<Record<string, unknown>>;

/**
 * A GitHub Actions workflow that packs the candidate, prepares it once, runs its suites in `shards` jobs and
 * merges their evidence. `version` is the packproof that the jobs fetch.
 */
export function toGithubWorkflow(shards: number, version: string): string {
  const document = new Document({
    name: 'packproof',
    on: { push: { branches: ['main'] }, pull_request: {} },
    permissions: { contents: 'read' },
    env: { PACKPROOF: `packproof@${version}` },
    jobs: { prepare: prepareJob(), shard: shardJob(shards), merge: mergeJob(shards) },
  });
  document.commentBefore = HEAD;
  nameReleases(document);
  return document.toString({ lineWidth: 0 });
}

function prepareJob(): Step {
  return {
    'runs-on': RUNNER,
    'timeout-minutes': TIMEOUT_MINUTES,
    steps: [
      { uses: ACTIONS.checkout.uses, with: { 'persist-credentials': false } },
      setupNode(),
      {
        name: 'Pack the candidate',
        run: lines(
          'npm ci',
          'mkdir packed',
          'npm pack --pack-destination packed',
          'mv packed/*.tgz candidate.tgz',
        ),
      },
      {
        name: 'Prepare it once for all shards',
        run: lines(
          'npx --yes "$PACKPROOF" prepare candidate.tgz --out context',
          `tar -cf ${CONTEXT_TAR} candidate.tgz context`,
        ),
      },
      upload(CONTEXT, CONTEXT_TAR),
    ],
  };
}

function shardJob(shards: number): Step {
  return {
    needs: 'prepare',
    'runs-on': RUNNER,
    'timeout-minutes': TIMEOUT_MINUTES,
    strategy: { 'fail-fast': false, matrix: { shard: numbers(shards) } },
    env: { SHARD: expression('matrix.shard') },
    steps: [
      setupNode(),
      download({ name: CONTEXT }),
      {
        name: 'Run the shard',
        run: lines(
          `tar -xf ${CONTEXT_TAR}`,
          `npx --yes "$PACKPROOF" run context --shard "$SHARD/${shards}" --out "shard-$SHARD"`,
        ),
      },
      {
        name: 'Keep its evidence, also of a failed run',
        if: expression('!cancelled()'),
        run: lines('tar -cf "shard-$SHARD.tar" "shard-$SHARD"'),
      },
      {
        ...upload(`packproof-shard-${expression('matrix.shard')}`, `shard-${expression('matrix.shard')}.tar`),
        if: expression('!cancelled()'),
      },
    ],
  };
}

function mergeJob(shards: number): Step {
  return {
    needs: ['prepare', 'shard'],
    if: expression("!cancelled() && needs.prepare.result == 'success'"),
    'runs-on': RUNNER,
    'timeout-minutes': TIMEOUT_MINUTES,
    steps: [
      setupNode(),
      download({ name: CONTEXT }),
      download({ pattern: 'packproof-shard-*', 'merge-multiple': true }),
      {
        name: 'Merge all shards',
        run: lines(
          `tar -xf ${CONTEXT_TAR} candidate.tgz`,
          'for shard in shard-*.tar; do tar -xf "$shard"; done',
          `npx --yes "$PACKPROOF" merge $(seq -f 'shard-%.0f' 1 ${shards}) --out evidence`,
          'tar -cf evidence.tar evidence',
        ),
      },
      upload('packproof-evidence', 'evidence.tar'),
      {
        name: 'Read it back; ends with the exit code of the run as a whole',
        run: lines('npx --yes "$PACKPROOF" verify evidence --candidate candidate.tgz'),
      },
    ],
  };
}

function setupNode(): Step {
  return { uses: ACTIONS.setupNode.uses, with: { 'node-version': NODE_VERSION } };
}

function upload(name: string, path: string): Step {
  return { uses: ACTIONS.upload.uses, with: { name, path, 'if-no-files-found': 'error' } };
}

function download(what: Readonly<Record<string, unknown>>): Step {
  return { uses: ACTIONS.download.uses, with: what };
}

/** What GitHub puts in before a step runs; scripts get such values as variables only. */
function expression(text: string): string {
  return `$\{{ ${text} }}`;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** GitHub runs a script with `bash -e`, so the first command that fails ends it. */
function lines(...commands: readonly string[]): string {
  return commands.join('\n');
}

/** Writes the release beside each commit, where people and update services look for it. */
function nameReleases(document: Document): void {
  const { jobs } = document.toJS() as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  for (const [job, { steps }] of Object.entries(jobs)) {
    steps.forEach(({ uses }, index) => {
      const action = Object.values(ACTIONS).find((one) => one.uses === uses);
      const node = document.getIn(['jobs', job, 'steps', index, 'uses'], true);
      if (action !== undefined && isScalar(node)) node.comment = ` ${action.release}`;
    });
  }
}
