import { readFile } from 'node:fs/promises';
import { auditOpened } from '../audit/audit.ts';
import type { AuditReport } from '../audit/report.ts';
import { applyWaivers, parseWaivers, type Waiver } from '../audit/waivers.ts';
import type { Engine } from '../engine/engine.ts';
import { DEFAULT_REGISTRY } from '../prepare/npm-config.ts';
import type { AuditOutcome, PreparedSuite, PreparePorts, SuiteRequest } from '../prepare/prepare-options.ts';
import type { Reporter } from '../prepare/progress.ts';
import { toCandidateFacts } from '../suite/candidate-facts.ts';
import { generateSmokeSuite } from '../suite/smoke/generate.ts';
import { exportFromDocker } from './base-image.ts';
import { JobError } from './errors.ts';
import { buildNodeImage } from './images.ts';
import { type SuiteSource, toPreparedSuite } from './suite-sources.ts';

export interface PreparePortsInput {
  readonly cacheDir: string;
  readonly runId: string;
  readonly engine: () => Promise<Engine>;
  /** Whether the smoke suite is generated; else only `suites` run. */
  readonly generate: boolean;
  readonly suites: readonly SuiteSource[];
  readonly waivers: readonly Waiver[];
  readonly report: Reporter;
  readonly announce: (folder: string) => Promise<void>;
}

/** Host of npm's own default registry. */
export const PUBLIC_REGISTRY = new URL(DEFAULT_REGISTRY).host;

interface AuditedCandidate extends AuditOutcome {
  readonly document: AuditReport;
  /** Paths inside the package. */
  readonly files: readonly string[];
}

/** Joins prepare to the audit, to the suites and to the install in a box. */
export function toPreparePorts(input: PreparePortsInput): PreparePorts<AuditedCandidate> {
  return {
    audit: (bytes, declared) => auditBytes(bytes, declared, input.waivers),
    suites: (request) => compileSuites(input, request),
    install: async (context, node) => {
      const { cacheDir, runId, engine } = input;
      const { image, inventory } = await buildNodeImage({ context, cacheDir, runId, engine }, node);
      return {
        node,
        configDigest: image.configDigest,
        diffIds: image.layers.map(({ diffId }) => diffId),
        files: inventory.length,
      };
    },
    exportImage: (image) => exportFromDocker(image, input.runId),
    report: input.report,
    announce: input.announce,
  };
}

function auditBytes(
  bytes: Buffer,
  declared: { readonly name: string; readonly version: string } | null,
  waivers: readonly Waiver[],
): AuditedCandidate {
  const options = { publicRegistry: PUBLIC_REGISTRY };
  const { report, archive } = auditOpened(
    bytes,
    declared === null ? options : { ...options, expected: declared },
  );
  const document = applyWaivers(report, waivers, new Date());
  const prefix = `${archive.root ?? 'package'}/`;
  return {
    document,
    unsafe: document.findings.filter(({ unsafe, severity }) => unsafe && severity === 'gate'),
    files: archive.entries.flatMap(({ path }) =>
      path.startsWith(prefix) ? [path.slice(prefix.length)] : [],
    ),
  };
}

/** @throws {JobError} WAIVERS_UNREADABLE; {AuditError} for what the file says */
export async function readWaivers(file: string | null): Promise<readonly Waiver[]> {
  if (file === null) return [];
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new JobError('WAIVERS_UNREADABLE', 'waivers', {
      where: file,
      expected: 'a readable JSON file of waivers',
      actual: cause.code ?? '',
      cause,
    });
  });
  return parseWaivers(bytes, file);
}

/** Without a manifest nothing is known that a placeholder could stand for, and nothing will run. */
function compileSuites(
  input: Pick<PreparePortsInput, 'generate' | 'suites'>,
  { manifest, audit, nodes }: SuiteRequest<AuditedCandidate>,
): readonly PreparedSuite[] {
  if (manifest === null) {
    return input.suites.flatMap((one) =>
      one.kind === 'compiled' ? [{ suite: one.suite, sources: [], folder: one.folder }] : [],
    );
  }
  const bins = audit.document.manifest?.bins ?? [];
  const facts = toCandidateFacts(manifest.json, { bins, files: audit.files });
  const generated = input.generate
    ? [{ suite: generateSmokeSuite(facts, nodes), sources: [], folder: null }]
    : [];
  return [...generated, ...input.suites.map((source) => toPreparedSuite(source, facts))];
}
