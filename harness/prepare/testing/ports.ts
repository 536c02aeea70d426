import { auditCandidate } from '../../audit/audit.ts';
import type { AuditFinding } from '../../audit/finding.ts';
import type { AuditReport } from '../../audit/report.ts';
import type { PrepareOptions, PreparePorts } from '../prepare-options.ts';
import type { PrepareProgress } from '../progress.ts';

export interface TestAudit {
  readonly document: AuditReport;
  readonly unsafe: readonly AuditFinding[];
}

/** Ports with the real audit, without suites and install; `seen` collects the progress. */
export function testPorts(seen: PrepareProgress[] = []): PreparePorts<TestAudit> {
  return {
    audit: (bytes, declared) => {
      const document = auditCandidate(bytes, declared === null ? {} : { expected: declared });
      const unsafe = document.findings.filter((item) => item.unsafe && item.severity === 'gate');
      return { document, unsafe };
    },
    suites: () => [],
    install: null,
    exportImage: ({ reference }) => {
      throw new RangeError(`no images here: ${reference}`);
    },
    report: (progress) => seen.push(progress),
    announce: () => Promise.resolve(),
  };
}

/** Plain options; a test changes what it is about. */
export function testOptions(
  change: Partial<PrepareOptions> & Pick<PrepareOptions, 'candidate' | 'out' | 'cwd' | 'cacheFolder'>,
): PrepareOptions {
  return {
    siblings: [],
    platform: 'linux/amd64',
    node: ['22'],
    base: null,
    withScripts: false,
    lockFile: null,
    frozen: false,
    refresh: false,
    archives: null,
    debianMirror: null,
    ...change,
  };
}
