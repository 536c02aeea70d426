/** Content of a file of a layer: bytes in memory, or a stream that is opened when its turn comes. */
export type LayerContent = Uint8Array | (() => AsyncIterable<Uint8Array>);

/**
 * An entry as the makers of layers hand it in: `path` without a leading slash, `mode` as found in its source.
 *
 * Owners and times are no part of it: every entry of every layer belongs to uid 0, gid 0 and time 0.
 */
export type LayerEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: number;
      readonly sizeBytes: number;
      readonly content: LayerContent;
    }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string };

/** A file whose content is bytes in memory. */
export function fileOf(path: string, bytes: Uint8Array, mode = 0o644): LayerEntry {
  return { kind: 'file', path, mode, sizeBytes: bytes.byteLength, content: bytes };
}

/** Chunks of a file's content, whatever its form. */
export async function* readContent(content: LayerContent): AsyncIterable<Uint8Array> {
  if (content instanceof Uint8Array) yield content;
  else yield* content();
}
