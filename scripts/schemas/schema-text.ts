import type { JsonSchema } from '../../harness/verify/shape/schema.ts';
import { DefinitionList } from './definition-list.ts';
import type { PublishedDocument } from './documents.ts';

/** The version of every format of ours; in the `$id`, so that a later one is another schema. */
const FORMAT_VERSION = 1;

/** Width of the formatter's lines. */
const LINE_WIDTH = 110;

/** The whole schema of a document. */
export function toSchema({ name, title, schema }: PublishedDocument): JsonSchema {
  const definitions = new DefinitionList();
  const body = schema(definitions);
  const shared = definitions.list();
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:packproof:${name}:${FORMAT_VERSION}`,
    title,
    ...body,
    ...(Object.keys(shared).length === 0 ? {} : { $defs: shared }),
  };
}

/** The text of a schema file, as the formatter of the repository leaves it. */
export function toText(value: unknown): string {
  return `${write(value, 0, 0)}\n`;
}

/** `used`: characters of the line before the value, and after it. */
function write(value: unknown, depth: number, used: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const indent = '  '.repeat(depth + 1);
  const parts = Array.isArray(value)
    ? value.map((item) => write(item, depth + 1, indent.length + 1))
    : Object.entries(value).map(([key, item]) => {
        const head = `${JSON.stringify(key)}: `;
        return head + write(item, depth + 1, indent.length + head.length + 1);
      });
  if (parts.length === 0) return open + close;
  const line = open + parts.join(', ') + close;
  const isPlain = Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
  if (isPlain && used + line.length <= LINE_WIDTH) return line;
  return `${open}\n${indent}${parts.join(`,\n${indent}`)}\n${'  '.repeat(depth)}${close}`;
}
