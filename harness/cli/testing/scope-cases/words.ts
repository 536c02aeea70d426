// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the clients are what is tried
import { SERVER_PATH } from './drivers.ts';
import { CANARIES } from './scope-case.ts';

/** Words in which the cases are written: entries with a canary in every value, and patterns of the rows. */

/** A local server: the harmless program, with a placeholder that somebody might expand. */
export const LOCAL = {
  command: CANARIES.command,
  args: [SERVER_PATH, `--token=${CANARIES.arg}`, '${PLACEHOLDER}'],
  env: { TOKEN: CANARIES.env },
};

export const REMOTE = {
  type: 'http',
  url: `https://example.invalid/${CANARIES.url}`,
  headers: { Authorization: `Bearer ${CANARIES.header}` },
};

const HASH = '0'.repeat(64);
export const GUARD_ARGS = [
  'guard',
  'run',
  '--inner',
  '--server-name',
  'a',
  '--orig-hash',
  HASH,
  '--',
  'tool',
  CANARIES.arg,
];

export function json(value: unknown): string {
  return JSON.stringify(value);
}

export function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const WORD = '"[^"]*"';

/** Pattern of a source row by id, state and problem. */
export function source(id: string, state: string, problem: string | null = null): string {
  const fields = ['client', 'origin', 'scope'].map((field) => `"${field}":${WORD}`).join(',');
  const more = ['format', 'parser', 'container', 'containerState']
    .map((field) => `"${field}":${WORD}`)
    .join(',');
  const said = problem === null ? 'null' : `"${problem}"`;
  return `\\{"id":"${id}",${fields},"path":(?:${WORD}|null),${more},"state":"${state}","problem":${said},`;
}

/** Pattern of a server row by name, source, declaration and guard form. */
export function server(name: string, id: string, declaration: string, guardForm = 'none'): string {
  const between = ['origin', 'scope', 'format'].map((field) => `"${field}":${WORD}`).join(',');
  return `\\{"name":"${quote(name)}","client":${WORD},"source":"${id}",${between},"configured":true,"declaration":"${declaration}","guardForm":"${guardForm}"`;
}

/** Pattern of a server row that names its possible shadows. */
export function shadowed(name: string, id: string, by: readonly string[]): string {
  const list = by.map((other) => `"${other}"`).join(',');
  return `\\{"name":"${quote(name)}","client":${WORD},"source":"${id}",[^{}]*"possibleShadowedBy":\\[${list}\\]`;
}

/** Pattern of an instruction row by the end of its path and its state. */
export function instruction(ending: string, state: string): string {
  return `"path":"[^"]*${quote(ending)}","state":"${state}","applicability":"unknown"`;
}

export const COMPLETE = '"inventoryComplete":true';
export const INCOMPLETE = '"inventoryComplete":false';
export const NO_SERVERS = '"servers":\\[\\]';
export const ALL_UNKNOWN =
  '"hostVersion":"unknown","selectedProfile":"unknown","forwarding":"unknown","effectiveSelection":"unknown","loading":"unknown","enforcement":"unknown","snapshot":"not-atomic"';
