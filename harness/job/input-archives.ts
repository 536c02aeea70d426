import { join } from 'node:path';
import type { InputArchive } from '../evidence/export-input.ts';
import { nameBase } from '../prepare/base-name.ts';
import type { ContextArchive } from '../prepare/context-document.ts';
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
    ...(document.base.kind === 'debian' ? [] : [list('base', nameBase(document.base), document.base.rootfs)]),
    ...document.base.packages.map((entry) => list('base', `${entry.package}@${entry.version}`, entry)),
    ...document.suiteArchives.map((entry) => list('suite', entry.name, entry)),
  ];
}
