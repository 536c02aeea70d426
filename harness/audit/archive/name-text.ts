/** A name as text, and its raw bytes where text cannot hold them. */
export interface NameText {
  readonly path: string;
  readonly rawPath: string | null;
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a name of the archive; bytes that are not UTF-8 become U+FFFD and are kept beside it. */
export function decodeName(name: Buffer): NameText {
  try {
    return { path: STRICT.decode(name), rawPath: null };
  } catch {
    return { path: name.toString('utf8'), rawPath: name.toString('base64') };
  }
}

/** A name for a finding. An empty one would read as no place at all. */
export function displayName(name: Buffer): string {
  return name.length === 0 ? '(empty name)' : name.toString('utf8');
}
