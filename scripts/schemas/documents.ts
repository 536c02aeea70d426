import { waiversShape } from '../../harness/audit/waiver-shape.ts';
import { commandShapes, errorShape, resultShape } from '../../harness/cli/result-shapes.ts';
import type { Shape as OwnedShape } from '../../harness/document/shape.ts';
import { contextShape } from '../../harness/prepare/context-document.ts';
import { lockShape } from '../../harness/prepare/lock.ts';
import { replayShape } from '../../harness/replay/replay-shape.ts';
import { tamperShape } from '../../harness/tamper/tamper-shape.ts';
import {
  declaredShape,
  engineShape,
  measuredShape,
  outsideShape,
} from '../../harness/verify/shape/boundary.ts';
import { bundleShape } from '../../harness/verify/shape/bundle.ts';
import {
  auditFields,
  auditShape,
  findingFields,
  imageConfigShape,
  inventoryLine,
  manifestShape,
  readbackShape,
} from '../../harness/verify/shape/inputs.ts';
import { controlLine, filesLine, receiptShape, transcriptLine } from '../../harness/verify/shape/receipt.ts';
import { reportShape } from '../../harness/verify/shape/report.ts';
import type { Definitions, JsonSchema } from '../../harness/verify/shape/schema.ts';
import { integer, list, literal, object, parseShape, type Shape } from '../../harness/verify/shape/shape.ts';
import { durationsShape, shardsShape } from '../../harness/verify/shape/shards.ts';
import { suiteShape } from '../../harness/verify/shape/suite.ts';
import { sentence } from '../../harness/verify/shape/values.ts';
import { verdictShape } from '../../harness/verify/shape/verdict.ts';

export interface PublishedDocument {
  /** Of the file `evidence-schema/<name>.schema.json`, and for `packproof schema`. */
  readonly name: string;
  readonly title: string;
  readonly schema: (definitions: Definitions) => JsonSchema;
  /** What its reader says of a value; empty when it is accepted. */
  readonly misfits: (value: unknown) => readonly string[];
}

const auditResultShape = object({
  result: literal('passed', 'failed'),
  exitCode: integer(0, 255),
  ...auditFields,
  findings: list(object({ ...findingFields, advice: sentence }), 1_000_000),
});

/** Every document whose schema is written from a shape. The suite of people and the scope inventory have theirs by hand. */
export const documents: readonly PublishedDocument[] = [
  owned('context', 'context.json: what prepare made', contextShape),
  owned('lock', 'packproof.lock.json: what is pinned', lockShape),
  owned('waivers', 'the file of --waive: findings of the audit to live with, until a day', waiversShape),
  published('bundle', 'bundle.json: the closed list of an evidence bundle', bundleShape),
  published('report', 'report.json: the run as a whole', reportShape),
  published('manifest', 'inputs/manifest.json: every input archive', manifestShape),
  published('audit', "inputs/audit.json: findings on the candidate's bytes", auditShape),
  published('compiled-suite', 'inputs/suites/<id>/suite.json: a suite as it is run', suiteShape),
  published('image-config', 'image/<node>/config.json: the config of an image', imageConfigShape),
  published('image-readback', 'image/<node>/readback.json: what the engine holds', readbackShape),
  published('image-inventory-line', 'a line of image/<node>/inventory.ndjson', inventoryLine),
  published('boundary-declared', 'boundary/declared.json: the restrictions as declared', declaredShape),
  published(
    'boundary-engine',
    'boundary/engine.json: the restrictions as the engine tells them',
    engineShape,
  ),
  published('boundary-measured', 'boundary/measured.json: the restrictions as measured', measuredShape),
  published('boundary-outside', 'boundary/outside/<sha256>.json: a box as read from outside', outsideShape),
  published('shards', 'shards.json: the shards of a merged bundle', shardsShape),
  published('durations', 'inputs/durations.json: what balanced the shards', durationsShape),
  published('receipt', 'cases/<case>/receipt.json: the record of one case', receiptShape),
  published('transcript-line', 'a line of cases/<case>/transcript.ndjson', transcriptLine),
  published('controls-line', 'a line of cases/<case>/controls.ndjson', controlLine),
  published('files-line', 'a line of cases/<case>/files.ndjson', filesLine),
  published('verdict', 'what packproof-verify --json says', verdictShape),
  owned('replay', 'what packproof replay --json says', replayShape),
  owned('tamper', 'what packproof tamper --json says', tamperShape),
  owned('result', 'what packproof check and run say with --json', resultShape),
  owned('result-error', 'what every command with --json says that ended before its result', errorShape),
  published('result-audit', 'what packproof audit --json says', auditResultShape),
  ...Object.entries(commandShapes).map(([command, shape]) =>
    owned(`result-${command}`, `what packproof ${command} --json says`, shape),
  ),
];

/** A document that the verifier reads. */
function published(name: string, title: string, shape: Shape<unknown>): PublishedDocument {
  return {
    name,
    title,
    schema: shape.schema,
    misfits: (value) => {
      const parsed = parseShape(shape, value);
      return 'misfits' in parsed ? parsed.misfits.map(({ at, expected }) => `${at}: ${expected}`) : [];
    },
  };
}

/** A document that only its own folder reads, or nothing of ours. */
function owned(name: string, title: string, shape: OwnedShape<unknown>): PublishedDocument {
  return {
    name,
    title,
    schema: (definitions) => shape.schema(definitions),
    misfits: (value) => {
      const wrong: string[] = [];
      shape.check(value, '', wrong);
      return wrong;
    },
  };
}
