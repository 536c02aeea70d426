import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { hashArchive, type Integrity } from './integrity.ts';
import type { PackageManifest } from './manifest-files.ts';

/** An archive that holds only the manifests of a package. */
export interface StubArchive {
  readonly bytes: Buffer;
  readonly integrity: Integrity;
}

/**
 * Builds what npm may unpack on the host in place of a candidate: its manifest files and nothing else.
 *
 * So an archive that attacks an unpacker never meets one outside a box, and no file of the candidate that
 * could be run is ever on the host's disk in runnable form.
 */
export async function buildStub(manifest: PackageManifest): Promise<StubArchive> {
  const stream = pack();
  const chunks: Buffer[] = [];
  const done = (async () => {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  })();
  for (const file of manifest.files) {
    stream.entry(
      { name: `package/${file.path}`, mode: 0o644, mtime: new Date(0), type: 'file' },
      file.content,
    );
  }
  stream.finalize();
  await done;
  const bytes = gzipSync(Buffer.concat(chunks));
  return { bytes, integrity: hashArchive(bytes).integrity };
}
