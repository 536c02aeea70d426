import semver from 'semver';
import type { FindingCode } from '../catalogue/catalogue.ts';
import { RANGE_LENGTH } from '../limits.ts';

const GIT = /^(?:git(?:\+[a-z]+)?:|github:|gitlab:|bitbucket:|gist:|git@)/i;
const SHORTHAND = /^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+(?:#.*)?$/;
const URL_FORM = /^https?:/i;
const PATH_FORM = /^(?:\.{1,2}(?:[/\\]|$)|[/\\]|~[/\\]|[A-Za-z]:[/\\])|\.(?:tgz|tar\.gz|tar)$/i;
const PROTOCOL = /^([a-z][a-z0-9+.-]*):/i;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.~!-]*$/;

const PROTOCOL_CODES: Readonly<Record<string, FindingCode>> = {
  workspace: 'DEP_WORKSPACE',
  catalog: 'DEP_CATALOG',
  file: 'DEP_FILE',
  link: 'DEP_LINK',
  portal: 'DEP_LINK',
};

/**
 * Gives the code of a dependency's specifier, or null when npm resolves it from the registry.
 *
 * Source: npm documentation on package.json, dependencies; protocols of pnpm and yarn that must not leak.
 */
export function toSpecCode(spec: string): FindingCode | null {
  const text = spec.trim();
  if (text.length > RANGE_LENGTH) return 'DEP_SPEC_INVALID';
  if (/^npm:/i.test(text)) return toAliasCode(text.slice('npm:'.length));
  if (GIT.test(text) || (URL_FORM.test(text) && /\.git(?:#|$)/.test(text))) return 'DEP_GIT';
  if (URL_FORM.test(text)) return 'DEP_URL';
  const protocol = PROTOCOL.exec(text)?.[1];
  if (protocol !== undefined && !PATH_FORM.test(text)) {
    return PROTOCOL_CODES[protocol.toLowerCase()] ?? 'DEP_PROTOCOL_UNKNOWN';
  }
  if (/^file:/i.test(text) || PATH_FORM.test(text)) return 'DEP_FILE';
  if (SHORTHAND.test(text)) return 'DEP_GIT';
  return toRangeCode(text);
}

function toAliasCode(target: string): FindingCode | null {
  const at = target.lastIndexOf('@');
  return toRangeCode(at > 0 ? target.slice(at + 1) : '*');
}

function toRangeCode(range: string): FindingCode | null {
  if (semver.validRange(range, { loose: true }) !== null) return isOpen(range) ? 'DEP_RANGE_OPEN' : null;
  return TAG.test(range) ? 'DEP_RANGE_OPEN' : 'DEP_SPEC_INVALID';
}

/** A range without an upper end takes every later major version. */
function isOpen(range: string): boolean {
  return range === '' || range === '*' || range === 'x' || /^>=?\s*[0-9][^\s<|]*$/.test(range);
}
