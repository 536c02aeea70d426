import type { Node } from 'yaml';
import { ARCHIVES_DIRECTORY, localLink } from '../layout.ts';
import { quotePattern } from '../signatures.ts';
import type { Context } from './context.ts';
import { isInBoxForm, readOneOrMore, readText } from './read.ts';
import { suggest } from './suggest.ts';

/** What placeholders there are; each stands for one fact of the candidate, one value of the matrix or the place of an archive. */
export const PLACEHOLDERS = ['bin:NAME', 'package', 'version', 'matrix:NAME', 'archive:NAME'] as const;

/** Any fact, where a file is only looked at before its candidate is known. */
const STAND_IN = 'x';

/** `$${…}` writes `${…}` itself. */
const PLACEHOLDER = /\$(\$?)\{([^{}]*)\}/g;

/** Text with its placeholders replaced. */
export function readFilledText(node: Node, context: Context): string {
  return fill(node, readText(node, context.problems), context);
}

/** The target of a link, in the one text of its bytes. */
export function readTarget(node: Node, context: Context): string {
  const target = readFilledText(node, context);
  return isInBoxForm(node, target, context.problems) ? target : '';
}

/** The same in a pattern, where each fact stands for itself and not for what its characters mean to RE2. */
export function readFilledPattern(node: Node, context: Context): string {
  return fill(node, readText(node, context.problems), context, quotePattern);
}

/** Replaces `${bin:NAME}`, `${package}` and `${version}` in a text that stands at `node`. */
export function fill(
  node: Node,
  text: string,
  context: Context,
  write: (fact: string) => string = (fact) => fact,
): string {
  return text.replace(PLACEHOLDER, (whole: string, escaped: string, name: string) => {
    if (escaped !== '') return `\${${name}}`;
    const fact = factOf(node, name, context);
    return fact === null ? whole : write(fact);
  });
}

function factOf(node: Node, name: string, context: Context): string | null {
  const { facts, problems } = context;
  if (name === 'package') return facts === null ? STAND_IN : facts.name;
  if (name === 'version') return facts === null ? STAND_IN : facts.version;
  if (name.startsWith('bin:')) return binOf(node, name.slice('bin:'.length), context);
  if (name.startsWith('archive:')) return archiveOf(node, name.slice('archive:'.length), context);
  const ofMatrix = name.startsWith('matrix:') ? context.matrix.get(name.slice('matrix:'.length)) : undefined;
  if (ofMatrix !== undefined) return ofMatrix;
  const expected = PLACEHOLDERS.map((one) => `\${${one}}`).join(', ');
  problems.add(node, 'PLACEHOLDER_UNKNOWN', {
    expected: `one of ${expected} (or $\${…} for the text itself)`,
    actual: `\${${name}}${suggest(name, PLACEHOLDERS)}`,
  });
  return null;
}

/** Only a reference step has its archive to name: nothing else may run what the suite brought along. */
function archiveOf(node: Node, name: string, { archive, archives, problems }: Context): string | null {
  if (name === archive) return `${ARCHIVES_DIRECTORY}/${name}`;
  const expected =
    archive === null ? 'no archive outside of a reference step' : `the step's archive ${archive}`;
  const hint = archives.includes(name) ? '' : suggest(name, archives);
  problems.add(node, 'ARCHIVE_UNKNOWN', { expected, actual: `${name}${hint}` });
  return null;
}

function binOf(node: Node, bin: string, { facts, problems }: Context): string | null {
  if (facts === null) return STAND_IN;
  const names = facts.bins.map((one) => one.name);
  if (names.includes(bin)) return localLink(bin);
  const expected =
    names.length === 0 ? 'a candidate with a bin' : `a bin of the candidate: ${names.join(', ')}`;
  problems.add(node, 'BIN_UNKNOWN', { expected, actual: `${bin}${suggest(bin, names)}` });
  return null;
}

/** One sentence or several, of what is shown and what is not. */
export function readSentences(node: Node | undefined, context: Context): readonly string[] {
  if (node === undefined) return [];
  return readOneOrMore(node, context.problems).map((item) => readFilledText(item, context));
}
