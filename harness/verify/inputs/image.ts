import type { Bundle } from '../bundle.ts';
import { toSegment } from '../cases/declared.ts';
import type { Findings } from '../finding.ts';
import {
  type ImageConfig,
  type InventoryLine,
  imageConfigShape,
  inventoryLine,
  type Readback,
  readbackShape,
} from '../shape/inputs.ts';
import type { Report } from '../shape/report.ts';
import { type Bins, toBins } from './bins.ts';
import { expectPackage } from './expected-package.ts';
import type { Inputs } from './inputs.ts';
import { mayScriptsChange, TreeChanges } from './install-scripts.ts';
import {
  checkCandidateFiles,
  checkInventoryForm,
  checkTransforms,
  checkTreeTransforms,
  type InstalledCandidate,
} from './inventory.ts';

/** An image as the bundle records it. */
export interface RecordedImage {
  readonly folder: string;
  readonly node: string;
  readonly diffIds: readonly string[];
  readonly inventory: readonly InventoryLine[];
  /** Files and links of the candidate that an install script changed: paths from the install's root. */
  readonly changedByScripts: ReadonlySet<string>;
}

/**
 * Holds every image against its read-back and its inventory, and the candidate's files in it against the
 * embedded archive. `ran`: whether anything ran, so that there must be images.
 *
 * Returns the images whose config and inventory could be read.
 */
export function checkImages(
  bundle: Bundle,
  report: Report,
  inputs: Inputs,
  ran: boolean,
): readonly RecordedImage[] {
  const candidate = inputs.archive.fault === null ? toInstalled(report, inputs) : null;
  const mayChange = mayScriptsChange(report, inputs.lock, inputs.archive);
  const first = bundle.has('image/config.json');
  if (!first && !ran) return [];
  return report.nodeVersions.flatMap((node, index) => {
    const prefix = index === 0 ? 'image' : `image/node-${toSegment(node)}`;
    return checkImage(bundle, { prefix, node, report, candidate, mayChange }) ?? [];
  });
}

function toInstalled(report: Report, { archive, lock }: Inputs): InstalledCandidate {
  const { name } = report.candidate;
  const home = `node_modules/${name}`;
  const binsAt = (path: string): Bins =>
    lock !== null && Object.hasOwn(lock, path) ? toBins(lock[path]?.bin, name) : new Map();
  const others = Object.keys(lock ?? {}).filter(
    (path) => path !== home && path.lastIndexOf('node_modules/') === 0,
  );
  return {
    name,
    bins: binsAt(home),
    expected: expectPackage(archive, home, binsAt(home)),
    otherBins: new Set(others.flatMap((path) => [...binsAt(path).keys()])),
  };
}

function checkImage(
  bundle: Bundle,
  place: {
    readonly prefix: string;
    readonly node: string;
    readonly report: Report;
    readonly candidate: InstalledCandidate | null;
    readonly mayChange: boolean;
  },
): RecordedImage | null {
  const { prefix, node, report, candidate } = place;
  const { findings } = bundle;
  const changes = new TreeChanges(findings, place.mayChange);
  const config = bundle.document(`${prefix}/config.json`, imageConfigShape);
  const readback = bundle.document(`${prefix}/readback.json`, readbackShape);
  const inventory = bundle.lines(`${prefix}/inventory.ndjson`, inventoryLine);
  if (config !== null) checkConfig(config, `${prefix}/config.json`, report, findings);
  if (config !== null && readback !== null) checkReadback(bundle, { prefix, node, config, readback });
  if (inventory === null) return null;
  const at = `${prefix}/inventory.ndjson`;
  checkInventoryForm(inventory, at, findings);
  if (readback !== null) {
    findings.same(
      'IMAGE_READBACK',
      `${prefix}/readback.json.filesCompared`,
      inventory.length,
      readback.filesCompared,
    );
    checkTreeTransforms(
      readback.transforms,
      { lines: inventory, name: report.candidate.name },
      `${prefix}/readback.json.transforms`,
      { findings, changes },
    );
  }
  const diffIds = config?.rootfs.diff_ids.map((id) => id.replace(/^sha256:/, '')) ?? null;
  const changedByScripts = changes.changed;
  const recorded = diffIds === null ? null : { folder: prefix, node, diffIds, inventory, changedByScripts };
  if (candidate === null) return recorded;
  checkCandidateFiles(inventory, candidate, at, { findings, changes });
  if (readback !== null) {
    checkTransforms(readback.transforms, candidate, `${prefix}/readback.json.transforms`, findings);
  }
  return recorded;
}

/** The one form of an image's config: no host, no time, the user of the boundary. */
function checkConfig(config: ImageConfig, at: string, report: Report, findings: Findings): void {
  const expected = {
    architecture: report.platform.split('/')[1],
    created: '1970-01-01T00:00:00Z',
    os: 'linux',
    env: 'PATH=/usr/local/bin:/usr/bin:/bin',
    user: '1000:1000',
    workingDir: '/work',
    type: 'layers',
  };
  const actual = {
    architecture: config.architecture,
    created: config.created,
    os: config.os,
    env: config.config.Env.join(' '),
    user: config.config.User,
    workingDir: config.config.WorkingDir,
    type: config.rootfs.type,
  };
  for (const field of Object.keys(expected) as readonly (keyof typeof expected)[]) {
    findings.same('IMAGE_CONFIG', `${at} ${field}`, expected[field], actual[field]);
  }
}

function checkReadback(
  bundle: Bundle,
  {
    prefix,
    node,
    config,
    readback,
  }: {
    readonly prefix: string;
    readonly node: string;
    readonly config: ImageConfig;
    readonly readback: Readback;
  },
): void {
  const { findings } = bundle;
  const at = `${prefix}/readback.json`;
  findings.same('IMAGE_READBACK', `${at}.node`, node, readback.node);
  const stored = bundle.list.files.get(`${prefix}/config.json`)?.sha256;
  findings.same('IMAGE_READBACK', `${at}.configDigest`, stored, readback.configDigest);
  const declared = config.rootfs.diff_ids.map((id) => id.replace(/^sha256:/, ''));
  findings.same('IMAGE_READBACK', `${at}.diffIds`, declared.join(', '), readback.diffIds.join(', '));
  if (new Set(declared).size !== declared.length) {
    findings.add('IMAGE_CONFIG', `${prefix}/config.json diff_ids`, 'each layer once', declared.join(', '));
  }
  for (const [index, finding] of readback.findings.entries()) {
    findings.add('IMAGE_FINDINGS', `${at}.findings[${index}]`, 'an image as it was built', finding.code);
  }
}
