import { buildGzip, buildTar, type TarEntryPlan } from '../../audit/testing/tar-builder.ts';
import type { FaultPackage, PackageFile } from '../../suite/testing/fault-packages.ts';

/** Packs a package of the fault tables as `npm pack` would, links included. */
export function packFault(fault: Pick<FaultPackage, 'manifest' | 'files'>): Buffer {
  const manifest = { name: 'package/package.json', content: `${JSON.stringify(fault.manifest, null, 2)}\n` };
  return buildGzip(buildTar([manifest, ...fault.files.map(toEntry)]));
}

function toEntry(file: PackageFile): TarEntryPlan {
  const name = `package/${file.path}`;
  switch (file.kind) {
    case 'file':
      return { name, mode: file.mode, content: file.content };
    case 'symlink':
      return { name, type: '2', linkName: file.target };
    case 'hardlink':
      return { name, type: '1', linkName: `package/${file.target}` };
  }
}
