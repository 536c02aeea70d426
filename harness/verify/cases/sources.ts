import type { Bundle } from '../bundle.ts';
import type { Findings } from '../finding.ts';
import { filesLike } from '../list/listed-files.ts';

const SUITES = 'inputs/suites/';
/** Below a suite's folder. Names are encoded as everywhere in a bundle. */
const SOURCE =
  /^inputs\/suites\/([^/]+)\/(suite\.yaml|(?:fixtures|beside)(?:\/(?!\.)[a-z0-9._@%-]{1,255})+)$/;

/**
 * Every file below `inputs/suites/` is a compiled suite, the text that it was compiled from, or a file that this
 * text read. Their bytes decide nothing here: results follow from the compiled suite alone.
 */
export function checkSuiteSources(bundle: Bundle): void {
  const { findings, list } = bundle;
  for (const path of list.files.keys()) {
    if (!path.startsWith(SUITES) || /^inputs\/suites\/[^/]+\/suite\.json$/.test(path)) continue;
    bundle.know(path);
    checkSource(bundle, path, findings);
  }
}

function checkSource(bundle: Bundle, path: string, findings: Findings): void {
  const [, folder] = SOURCE.exec(path) ?? [];
  if (folder === undefined) {
    findings.add('SUITE_SOURCE_UNKNOWN', path, 'suite.json, suite.yaml, fixtures/ or beside/', path);
  } else if (!bundle.has(`${SUITES}${folder}/suite.json`)) {
    findings.add('SUITE_SOURCE_UNKNOWN', path, 'the suite.json that was compiled from it', 'none');
  } else if (!bundle.has(`${SUITES}${folder}/suite.yaml`)) {
    findings.add('SUITE_SOURCE_UNKNOWN', path, 'the suite.yaml that read it', 'none');
  }
}

/** Whether a suite of the bundle came with its text. */
export function hasSources(bundle: Bundle): boolean {
  return filesLike(bundle.list.files, /^inputs\/suites\/[^/]+\/suite\.yaml$/).length > 0;
}
