import type { FindingList } from '../finding.ts';
import type { ArchiveEntry } from './entry.ts';
import type { FileTable } from './file-table.ts';

/** Gives the bytes of a file entry. */
export type ReadContent = (entry: ArchiveEntry) => Buffer;

/** Bytes at the start of a file that are searched for a key or token; both stand at the top of small files. */
const SEARCHED_BYTES = 64 * 1024;

const KEY_NAMES = /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:pem|key|p12|pfx|jks|keystore))$/i;
const SECRET_NAMES =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|defaults?$|dist$|schema$|test$)[^/]+)?|\.netrc|\.pypirc|\.npmrc|\.yarnrc\.yml|\.git-credentials|\.htpasswd|\.aws\/credentials|\.docker\/config\.json)$/i;
const JUNK_NAMES =
  /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|npm-debug\.log[^/]*|yarn-error\.log|[^/]+\.(?:swp|orig|rej|tgz))$|(?:^|\/)(?:\.git|\.svn|\.idea|\.vscode|\.claude|\.cursor|\.nyc_output|__MACOSX)\//i;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/;
const PUBLIC_PEM = /-----BEGIN (?:[A-Z0-9]+ )*(?:CERTIFICATE|PUBLIC KEY|DH PARAMETERS|X509 CRL)-----/;

/** A literal token; `${NPM_TOKEN}` is the harmless way to write one. Basic `_auth` counts as well. */
const NPM_TOKEN = /^[^#;\r\n]*_(?:authToken|auth|password)\s*=\s*["']?[A-Za-z0-9+/=_-]{16,}/m;

/**
 * Tells files that should not be in a package: secrets by name or content, and what tools left behind.
 *
 * Bundled dependencies are not searched: test keys of other people are no news about this package.
 */
export function checkLeaks(files: FileTable, read: ReadContent, findings: FindingList): void {
  for (const path of files.paths()) {
    const entry = files.get(path);
    if (entry === undefined || path.startsWith('node_modules/')) continue;
    const place = files.toArchivePath(path);
    if (JUNK_NAMES.test(path)) {
      findings.add('JUNK_FILE', place, { expected: 'only what users need', actual: path });
    }
    if (SECRET_NAMES.test(path)) checkSecretFile(place, readTop(entry, read), findings);
    else if (KEY_NAMES.test(path)) checkKeyFile(place, readTop(entry, read), findings);
  }
}

function checkSecretFile(place: string, text: string, findings: FindingList): void {
  if (place.endsWith('.npmrc') && NPM_TOKEN.test(text)) {
    findings.add('SECRET_NPM_TOKEN', place, { expected: 'no token', actual: 'a literal token' });
    return;
  }
  findings.add('SECRET_FILE', place, { expected: 'no such file', actual: `${text.length} characters` });
}

/** A certificate or public key under such a name is no secret. */
function checkKeyFile(place: string, text: string, findings: FindingList): void {
  if (PRIVATE_KEY.test(text)) {
    findings.add('SECRET_PRIVATE_KEY', place, { expected: 'no private key', actual: 'a private key' });
  } else if (!PUBLIC_PEM.test(text) && text.length > 0) {
    findings.add('SECRET_FILE', place, { expected: 'no such file', actual: `${text.length} characters` });
  }
}

function readTop(entry: ArchiveEntry, read: ReadContent): string {
  return read(entry).toString('latin1', 0, SEARCHED_BYTES);
}
