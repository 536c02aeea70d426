import { readFile } from 'node:fs/promises';
import { auditOpened } from '../audit/audit.ts';
import type { AuditReport } from '../audit/report.ts';
import { applyWaivers, parseWaivers, type Waiver } from '../audit/waivers.ts';
import type { Engine } from '../engine/engine.ts';
import type { AuditOutcome, PreparePorts, SuiteRequest } from '../prepare/prepare-options.ts';
import type { Reporter } from '../prepare/progress.ts';
import { toCandidateFacts } from '../suite/candidate-facts.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { generateSmokeSuite } from '../suite/smoke/generate.ts';
import { JobError } from './errors.ts';
import { buildNodeImage } from './images.ts';

export interface PreparePortsInput {
  readonly cacheDir: string;
  readonly runId: string;
  readonly engine: () => Promise<Engine>;
  /** Compiled suites that replace the generated one; absolute paths. */
  readonly suiteFiles: readonly string[];
  readonly waiverFile: string | null;
  readonly report: Reporter;
}

interface AuditedCandidate extends AuditOutcome {
  readonly document: AuditReport;
  /** Paths inside the package. */
  readonly files: readonly string[];
}

/** Joins prepare to the audit, to the suites and to the install in a box. */
export function toPreparePorts(input: PreparePortsInput): PreparePorts<AuditedCandidate> {
  return {
    audit: async (bytes, declared) => auditBytes(bytes, declared, await readWaivers(input.waiverFile)),
    suites: (request) => compileSuites(input.suiteFiles, request),
    install: async (context, node) => {
      const { cacheDir, runId, engine } = input;
      await buildNodeImage({ context, cacheDir, runId, engine }, node);
    },
    report: input.report,
  };
}

async function auditBytes(
  bytes: Buffer,
  declared: { readonly name: string; readonly version: string } | null,
  waivers: readonly Waiver[],
): Promise<AuditedCandidate> {
  const { report, archive } = auditOpened(bytes, declared === null ? {} : { expected: declared });
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
    throw new JobError('WAIVERS_UNREADABLE', 'waivers', { where: file, actual: cause.code ?? '', cause });
  });
  return parseWaivers(bytes);
}

async function compileSuites(
  files: readonly string[],
  request: SuiteRequest<AuditedCandidate>,
): Promise<readonly CompiledSuite[]> {
  if (files.length > 0) return Promise.all(files.map(readSuite));
  const { manifest, audit, nodes } = request;
  if (manifest === null) return [];
  const bins = audit.document.manifest?.bins ?? [];
  const facts = toCandidateFacts(manifest.json, { bins, files: audit.files });
  return [generateSmokeSuite(facts, nodes)];
}

async function readSuite(file: string): Promise<CompiledSuite> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new JobError('SUITE_UNREADABLE', 'suite', { where: file, actual: cause.code ?? '', cause });
  });
  return parseCompiledSuiteBytes(bytes);
}
