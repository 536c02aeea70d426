import type { Bundle } from './bundle.ts';
import type { Json } from './canonical.ts';
import { once } from './files/once.ts';
import type { FindingCode } from './finding.ts';
import { parseCanonical } from './read.ts';

/**
 * Documents of ours that hold no text of a candidate but in the members left out below. What a candidate
 * prints, or has in its files, may look like anything.
 */
const OWN_DOCUMENTS =
  /^(report\.json|boundary\/[^/]+\.json|image\/.*(config|readback)\.json|inputs\/(manifest|package-lock)\.json|cases\/.*\/receipt\.json)$/;
const FOREIGN_MEMBERS = new Set([
  'message',
  'detail',
  'argv',
  'reason',
  'proves',
  'doesNotProve',
  'caseClaims',
  'transforms',
  'blocked',
  'leftovers',
  'nonce',
  'only',
]);

const FORMS: readonly (readonly [FindingCode, RegExp, string])[] = [
  ['SECRET_KEY', /-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'no private key'],
  ['SECRET_TOKEN', /\bnpm_[A-Za-z0-9]{36}\b|_auth(Token)?=|\bgh[pousr]_[A-Za-z0-9]{36}\b/, 'no token'],
  [
    'HOST_PATH',
    /(?<![\w.~-])\/(root|Users|run\/user|var\/lib\/(docker|containerd?s?)|home\/(?!node(?![\w.-])))(\/|$|[^/\s]+)|(upper|lower|work)dir=/,
    'no path of the host',
  ],
];

/** Nothing that belongs to whoever ran it: keys, tokens, places of the host. */
export function checkSecrets(bundle: Bundle): void {
  for (const path of bundle.list.files.keys()) {
    if (!OWN_DOCUMENTS.test(path)) continue;
    const bytes = bundle.bytes(path);
    if (bytes === null || !once(bundle.source.identity(path), 'secrets', () => mayHold(bytes))) continue;
    const parsed = parseCanonical(path, bytes);
    if (parsed.kind === 'document') checkLeaves(bundle, parsed.value, path);
  }
}

/** Most documents have none of it anywhere, which their bytes tell faster than their leaves. */
function mayHold(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return FORMS.some(([, form]) => form.test(text));
}

/** Iterative over a list of open values: nesting is bounded by the byte form, width is not. */
function checkLeaves(bundle: Bundle, value: Json, at: string): void {
  const open: { readonly value: Json; readonly at: string }[] = [{ value, at }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value === 'string') {
      for (const [code, form, expected] of FORMS) {
        if (form.test(next.value)) bundle.findings.add(code, next.at, expected, next.value);
      }
    } else if (typeof next.value === 'object' && next.value !== null) {
      for (const [key, member] of Object.entries(next.value)) {
        if (!FOREIGN_MEMBERS.has(key)) open.push({ value: member, at: `${next.at}.${key}` });
      }
    }
  }
}
