/**
 * Turns a name (package, version, case id) into one path segment: `[a-z0-9._@-]` stay, every other byte
 * becomes `%XX`. Upper-case letters are encoded too, so that two names never meet under case folding, and a
 * leading dot is encoded, so that no segment is hidden or climbs.
 */
export function toPathSegment(name: string): string {
  const encoded = [...Buffer.from(name, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9._@-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  return encoded.startsWith('.') ? `%2e${encoded.slice(1)}` : encoded;
}

/** The name of one execution of a case: the case on one Node version. It names the folder below `cases/`. */
export function toExecutionId(caseId: string, node: string): string {
  return `${caseId}@${node}`;
}

/** Where the image of a Node version is recorded: the first in `image/` itself. */
export function imageFolder(node: string, index: number): string {
  return index === 0 ? 'image' : `image/node-${toPathSegment(node)}`;
}
