import { join } from 'node:path';
import type { InputArchive } from '../evidence/export-input.ts';
import type { ContextArchive, ContextBase } from '../prepare/context-document.ts';
import type { PreparedContext } from '../prepare/read-context.ts';

/** Every archive of a context with its role, as the manifest of the bundle lists them: by role, then name. */
export function toInputArchives(context: PreparedContext): readonly InputArchive[] {
  const { document } = context;
  const list = (role: string, name: string, archive: ContextArchive): InputArchive => ({
    role,
    name,
    sizeBytes: archive.sizeBytes,
    sha256: archive.sha256,
    sha512: Buffer.from(archive.integrity.replace(/^sha512-/, ''), 'base64').toString('hex'),
    file: join(context.folder, 'archives', 'sha256', archive.sha256),
  });
  const { candidate } = document;
  return [
    list('candidate', `${candidate.name ?? 'unknown'}@${candidate.version ?? 'unknown'}`, candidate),
    ...document.siblings.map((entry) => list('sibling', `${entry.name}@${entry.version}`, entry)),
    ...document.dependencies
      .filter((entry) => entry.sha256 !== candidate.sha256)
      .map((entry) => list('dependency', entry.path, entry)),
    ...(document.npm === null
      ? []
      : [list('npm', `${document.npm.name}@${document.npm.version}`, document.npm)]),
    ...document.runtimes.map((entry) => list('runtime', `${entry.name}@${entry.version}`, entry)),
    ...broughtBase(document.base).map(({ name, rootfs }) => list('base', name, rootfs)),
    ...document.base.packages.map((entry) => list('base', `${entry.package}@${entry.version}`, entry)),
  ];
}

/** A base that is not ours, as the verifier's `--require base=` names it. */
function broughtBase(
  base: ContextBase,
): readonly { readonly name: string; readonly rootfs: ContextArchive }[] {
  switch (base.kind) {
    case 'debian':
      return [];
    case 'rootfs':
      return [{ name: `rootfs@sha256:${base.rootfs.sha256}`, rootfs: base.rootfs }];
    case 'image':
      return [{ name: `image:${base.reference}@sha256:${base.digest}`, rootfs: base.rootfs }];
  }
}
