import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { toCanonicalBytes } from '../../document/canonical.ts';
import type { Expectation, StreamReference } from '../compiled.ts';
import { faultOfSchema } from '../evaluate/json-schema.ts';
import type { Context } from './context.ts';
import { KEYS } from './keys.ts';
import { fill } from './placeholders.ts';
import { pickOne, readFields, wrongType } from './read.ts';

type JsonValue = Extract<Expectation, { readonly kind: 'json-value' }>;

/** What JSON must be: exactly one of a value, a part of it, a schema. */
export function readJsonRules(
  node: Node,
  subject: { readonly of: StreamReference; readonly scope: JsonValue['scope'] },
  context: Context,
): readonly Expectation[] {
  const fields = readFields(node, { keys: KEYS.jsonRule }, context.problems);
  const rule = pickOne(fields, KEYS.jsonRule, context.problems);
  const value = rule === null ? undefined : fields.get(rule);
  if (rule === null || value === undefined) return [];
  const json = rule === 'schema' ? readSchema(value, context) : readJson(value, context);
  return [{ kind: 'json-value', ...subject, rule, json }];
}

/** A value as canonical JSON, the placeholders in its texts replaced. */
function readJson(node: Node, context: Context): string {
  const json = JSON.stringify(toValue(node, context));
  const filled = fill(node, json, context, (fact) => JSON.stringify(fact).slice(1, -1));
  return toCanonical(JSON.parse(filled));
}

function readSchema(node: Node, context: Context): string {
  const schema = toValue(node, context);
  const fault = faultOfSchema(schema);
  if (fault !== null) {
    const place =
      fault.path.length === 0 || !(isMap(node) || isSeq(node)) ? node : node.getIn(fault.path, true);
    const actual = `/${fault.path.join('/')}`;
    context.problems.add(isNode(place) ? place : node, 'JSON_SCHEMA_WRONG', {
      expected: fault.expected,
      actual,
    });
  }
  return toCanonical(schema);
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value);
}

/** YAML has numbers that JSON has not. */
function toValue(node: Node, context: Context): unknown {
  const value: unknown = isNode(node) ? node.toJSON() : null;
  if (isFiniteThroughout(value)) return value;
  wrongType(node, 'a value that JSON has', context.problems);
  return null;
}

/** As deep as the file, which is bounded. */
function isFiniteThroughout(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  return Object.values(value).every(isFiniteThroughout);
}

function toCanonical(value: unknown): string {
  return toCanonicalBytes(value).toString('utf8');
}
