import type { ManifestContext } from './context.ts';
import type { Identity } from './identity.ts';
import { isJsonObject, type JsonObject, parseStrictJson, toPointer } from './strict-json.ts';

const SHRINKWRAP = 'npm-shrinkwrap.json';

/** Bytes of a shrinkwrap that are read; it lists every package of a tree. */
const SHRINKWRAP_BYTES = 16 * 1024 * 1024;

/** A lock of form 1 nests as deep as its tree. */
const SHRINKWRAP_DEPTH = 200;

/** Tells a shipped shrinkwrap and what it pins wrongly. Returns whether there is one. */
export function checkShrinkwrap(
  context: ManifestContext,
  identity: Identity,
  publicRegistry: string | null,
): boolean {
  const entry = context.files.get(SHRINKWRAP);
  if (entry === undefined) return false;
  context.findings.add('SHRINKWRAP_PRESENT', context.files.toArchivePath(SHRINKWRAP), {
    expected: 'no such file',
    actual: `${entry.sizeBytes} bytes`,
  });
  if (entry.sizeBytes > SHRINKWRAP_BYTES) return true;
  const parsed = parseStrictJson(context.read(entry).toString('utf8'), SHRINKWRAP_DEPTH);
  if (parsed.kind === 'parsed' && isJsonObject(parsed.value)) {
    checkOwner(context, parsed.value, identity);
    checkSources(context, parsed.value, publicRegistry);
  }
  return true;
}

function checkOwner(context: ManifestContext, lock: JsonObject, identity: Identity): void {
  for (const key of ['name', 'version'] as const) {
    const stated = lock.get(key);
    if (typeof stated !== 'string' || stated === identity[key]) continue;
    context.findings.add('SHRINKWRAP_OTHER', `${SHRINKWRAP}#/${key}`, {
      expected: identity[key] ?? 'nothing',
      actual: stated,
    });
  }
}

/** Looks at the flat list of forms 2 and 3 and at the first level of form 1. */
function checkSources(context: ManifestContext, lock: JsonObject, publicRegistry: string | null): void {
  for (const list of ['packages', 'dependencies']) {
    const members = lock.get(list);
    if (!isJsonObject(members)) continue;
    for (const [path, about] of members) {
      const resolved = isJsonObject(about) ? about.get('resolved') : undefined;
      if (typeof resolved !== 'string' || isUsual(resolved, publicRegistry)) continue;
      const place = toPointer(toPointer(toPointer('', list), path), 'resolved');
      context.findings.add('SHRINKWRAP_SOURCE', `${SHRINKWRAP}#${place}`, {
        expected: 'an https address of the public registry',
        actual: resolved,
      });
    }
  }
}

/** npm replaces the host of its default registry by the user's own; anything else is fetched as written. */
function isUsual(resolved: string, publicRegistry: string | null): boolean {
  if (!URL.canParse(resolved)) return false;
  const { protocol, host } = new URL(resolved);
  return protocol === 'https:' && (publicRegistry === null || host === publicRegistry);
}
