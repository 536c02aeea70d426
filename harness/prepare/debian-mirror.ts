import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A source of Debian packages as the machine's own apt configuration names it. */
export interface DebianMirror {
  readonly uri: string;
  readonly suite: string;
  /** Value of `Signed-By`, or null for the default keys. */
  readonly signedBy: string | null;
}

/**
 * The mirrors of this machine's apt configuration that carry a release, so that the user's own mirror and
 * no other is asked.
 *
 * Suites other than the release's own, its updates and its security updates are left out.
 */
export async function readMirrors(
  codename: string,
  aptFolder = '/etc/apt',
): Promise<readonly DebianMirror[]> {
  const names = await readdir(join(aptFolder, 'sources.list.d')).catch(() => []);
  const files = ['sources.list', ...names.sort().map((name) => join('sources.list.d', name))];
  const found: DebianMirror[] = [];
  for (const name of files) {
    const text = await readFile(join(aptFolder, name), 'utf8').catch(() => '');
    if (name.endsWith('.list')) found.push(...parseOneLine(text));
    if (name.endsWith('.sources')) found.push(...parseDeb822(text));
  }
  const suites = [codename, `${codename}-updates`, `${codename}-security`, `${codename}/updates`];
  return found.filter((mirror) => suites.includes(mirror.suite));
}

/** Reads `deb [options] URI suite component…` lines (sources.list(5), "one-line-style format"). */
export function parseOneLine(text: string): readonly DebianMirror[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(https?:\/\/\S+)\s+(\S+)\s+\S/u.exec(
      line.replace(/#.*$/u, ''),
    );
    if (match === null) return [];
    const signedBy = /(?:^|\s)signed-by=(\S+)/iu.exec(match[1] ?? '')?.[1] ?? null;
    return [{ uri: trimSlash(match[2] ?? ''), suite: match[3] ?? '', signedBy }];
  });
}

/** Reads stanzas of fields (sources.list(5), "deb822-style format"); disabled stanzas are left out. */
export function parseDeb822(text: string): readonly DebianMirror[] {
  return text.split(/\n\s*\n/u).flatMap((stanza) => {
    const fields = parseStanza(stanza);
    const words = (name: string): readonly string[] => (fields.get(name) ?? '').split(/\s+/u).filter(Boolean);
    if (!words('types').includes('deb') || /^(?:no|false|0)$/iu.test(fields.get('enabled') ?? '')) return [];
    const signedBy = fields.get('signed-by') ?? null;
    return words('uris')
      .filter((uri) => /^https?:\/\//u.test(uri))
      .flatMap((uri) => words('suites').map((suite) => ({ uri: trimSlash(uri), suite, signedBy })));
  });
}

/** Fields of one stanza by lower-case name; continuation lines are joined by newlines. */
export function parseStanza(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let last: string | null = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    const field = /^([!-9;-~]+):\s*(.*)$/u.exec(line);
    if (field !== null) {
      last = (field[1] ?? '').toLowerCase();
      fields.set(last, (field[2] ?? '').trimEnd());
    } else if (last !== null && /^\s+\S/u.test(line)) {
      fields.set(last, `${fields.get(last) ?? ''}\n${line}`);
    }
  }
  return fields;
}

/**
 * The mirrors that a given address stands for: the release itself, and its security archive under the name
 * that lies beside it on every Debian mirror.
 */
export function mirrorsOf(address: string, codename: string): readonly DebianMirror[] {
  const uri = trimSlash(address);
  const security = uri.endsWith('/debian') ? `${uri}-security` : `${uri}/debian-security`;
  return [
    { uri, suite: codename, signedBy: null },
    { uri, suite: `${codename}-updates`, signedBy: null },
    { uri: security, suite: `${codename}-security`, signedBy: null },
  ];
}

/** Addresses to try for a package of an archive, the likeliest first, each once. */
export function mirrorUris(mirrors: readonly DebianMirror[], archive: string): readonly string[] {
  const isSecurity = (suite: string): boolean =>
    /[-/](?:security|updates)$/u.test(suite) && !suite.endsWith('-updates');
  const wanted = archive.endsWith('security');
  const first = mirrors.filter((mirror) => isSecurity(mirror.suite) === wanted);
  const rest = mirrors.filter((mirror) => isSecurity(mirror.suite) !== wanted);
  return [...new Set([...first, ...rest].map((mirror) => mirror.uri))];
}

function trimSlash(uri: string): string {
  return uri.replace(/\/+$/u, '');
}
