import { readFileSync } from 'node:fs';
import { absolutePath } from './absolute-path.ts';
import { documents } from './documents.ts';
import { type Field, fieldsOf, unitOf } from './field-tables.ts';
import { toSchema } from './schema-text.ts';

export const README = 'evidence-schema/README.md';
const MEANINGS = 'evidence-schema/field-meanings.json';
const MARK = '<!-- Below: written by npm run schemas. -->\n';

/**
 * The README with the tables of all fields as the schemas have them; what stands above the mark is kept.
 *
 * @throws {Error} for a field whose meaning nobody wrote down
 */
export function readmeText(): string {
  const [prose = ''] = readFileSync(absolutePath(README), 'utf8').split(MARK);
  const meanings = readMeanings();
  const missing = documents
    .flatMap((document) => fieldsOf(toSchema(document)))
    .map(({ name }) => name)
    .filter((name) => !meanings.has(name));
  if (missing.length > 0) throw new Error(`${MEANINGS} lacks ${[...new Set(missing)].join(', ')}`);
  const parts = documents.map((document) => {
    const rows = fieldsOf(toSchema(document)).map((field) => toRow(field, meanings));
    const head = `## ${document.name}\n\n${document.title}. Schema: \`${document.name}.schema.json\`, example: \`examples/${document.name}.json\`.\n`;
    return `${head}\n| field | type | required | unit | meaning |\n| --- | --- | --- | --- | --- |\n${rows.join('')}`;
  });
  return `${prose}${MARK}\n${parts.join('\n')}`;
}

/** By the name of the field: one name per thing, so one meaning. */
export function readMeanings(): ReadonlyMap<string, string> {
  return new Map(Object.entries(JSON.parse(readFileSync(absolutePath(MEANINGS), 'utf8'))));
}

function toRow(field: Field, meanings: ReadonlyMap<string, string>): string {
  const meaning = meanings.get(field.name) ?? '';
  const cells = [`\`${field.path}\``, field.type, field.required ? 'yes' : 'no', unitOf(field), meaning];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}
