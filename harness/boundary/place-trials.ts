import type { Boundary, WritableMount } from './boundary.ts';
import type { Trial } from './trial.ts';

const READ_ONLY = ['refused EROFS'];

/** Not one of a mount's own files: a path of the image that must never take a write. */
const IMAGE_FOLDERS = ['/', '/usr', '/etc', '/.packproof', '/opt/candidate'];
const IMAGE_FILES = ['/usr/local/bin/node', '/.packproof/perl', '/.packproof/holder.pl'];

/** What may be written where, run from where, and read of the kernel's own files. */
export function placeTrials(boundary: Boundary): readonly Trial[] {
  return [
    ...rootTrials(),
    ...boundary.mounts.flatMap((mount) => mountTrials(mount, fileSizeLimit(boundary))),
    ...pathTrials(boundary),
  ];
}

function rootTrials(): readonly Trial[] {
  const common = { field: 'rootReadOnly', code: 'ROOT_WRITABLE' } as const;
  const absent = (path: string) => (path === '/opt/candidate' ? ['refused ENOENT'] : []);
  const folders = IMAGE_FOLDERS.flatMap((folder): Trial[] => {
    const accepts = [...READ_ONLY, ...absent(folder)];
    const file = `${folder === '/' ? '' : folder}/.packproof-probe`;
    return [
      { ...common, id: `create.${folder}`, operation: 'create', arguments: [file], accepts },
      { ...common, id: `chmod.${folder}`, operation: 'chmod', arguments: [folder], accepts },
    ];
  });
  const files = IMAGE_FILES.flatMap((file): Trial[] => [
    { ...common, id: `chmod.${file}`, operation: 'chmod', arguments: [file], accepts: READ_ONLY },
    {
      ...common,
      id: `open.${file}`,
      operation: 'open',
      arguments: [file, 'write'],
      accepts: ['refused EROFS', 'refused EACCES', 'refused ETXTBSY'],
    },
  ]);
  return [...folders, ...files];
}

const ONE_PAGE_BYTES = 4096;

function fileSizeLimit(boundary: Boundary): number {
  return boundary.resourceLimits.find((limit) => limit.name === 'RLIMIT_FSIZE')?.value ?? 0;
}

function mountTrials(mount: WritableMount, fileSizeBytes: number): readonly Trial[] {
  const { path, exec, sizeBytes } = mount;
  const common = { field: 'mounts' } as const;
  const code = exec ? 'MOUNT_NOT_EXECUTABLE' : 'MOUNT_EXECUTABLE';
  return [
    {
      ...common,
      id: `write.${path}`,
      operation: 'create',
      arguments: [`${path}/.packproof-probe`],
      code: 'MOUNT_NOT_WRITABLE',
      accepts: ['allowed'],
    },
    {
      ...common,
      id: `exec.${path}`,
      operation: 'exec',
      arguments: [path],
      code,
      accepts: [exec ? 'allowed' : 'refused EACCES'],
    },
    {
      ...common,
      id: `map.${path}`,
      operation: 'map',
      arguments: [path],
      code,
      accepts: [exec ? 'allowed' : 'refused EPERM'],
    },
    {
      ...common,
      id: `fill.${path}`,
      operation: 'fill',
      arguments: [path, String(sizeBytes + ONE_PAGE_BYTES)],
      code: 'MOUNT_SIZE_NOT_LIMITED',
      // Of the two limits the lesser is met first; the other is measured by the file system's own word.
      accepts: [fileSizeBytes < sizeBytes + ONE_PAGE_BYTES ? 'refused EFBIG' : 'refused ENOSPC'],
    },
    {
      id: `grow.${path}`,
      operation: 'grow',
      arguments: [path, String(fileSizeBytes + 1)],
      field: 'resourceLimits',
      code: 'FILE_SIZE_NOT_LIMITED',
      accepts: ['refused EFBIG'],
    },
  ];
}

/** Kernel files whose writing would reach beyond the box, and places that only root may fill. */
const UNWRITABLE_FILES = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/hostname',
  '/proc/sysrq-trigger',
  '/proc/1/oom_score_adj',
];
const UNWRITABLE_FOLDERS = ['/dev', '/dev/shm', '/dev/mqueue', '/dev/pts', '/proc', '/sys', '/sys/fs/cgroup'];
const KEPT_OUT = ['EROFS', 'EACCES', 'EPERM', 'ENOENT'].map((errno) => `refused ${errno}`);

function pathTrials(boundary: Boundary): readonly Trial[] {
  const masked = boundary.maskedPaths.map(
    (path): Trial => ({
      id: `read.${path}`,
      operation: 'read',
      arguments: [path],
      field: 'maskedPaths',
      code: 'MASKED_PATH_READABLE',
      accepts: ['empty', 'refused ENOENT', 'refused EACCES', 'refused EPERM'],
    }),
  );
  const readonly = boundary.readonlyPaths.map(
    (path): Trial => ({
      id: `chmod.${path}`,
      operation: 'chmod',
      arguments: [path],
      field: 'readonlyPaths',
      code: 'READONLY_PATH_WRITABLE',
      accepts: ['refused EROFS', 'refused ENOENT'],
    }),
  );
  const files = UNWRITABLE_FILES.map(
    (path): Trial => ({
      id: `open.${path}`,
      operation: 'open',
      arguments: [path, 'write'],
      field: 'readonlyPaths',
      code: 'KERNEL_FILE_WRITABLE',
      accepts: KEPT_OUT,
    }),
  );
  const folders = UNWRITABLE_FOLDERS.map(
    (path): Trial => ({
      id: `create.${path}`,
      operation: 'create',
      arguments: [`${path}/.packproof-probe`],
      field: 'mounts',
      code: 'UNDECLARED_PLACE_WRITABLE',
      accepts: KEPT_OUT,
    }),
  );
  return [...masked, ...readonly, ...files, ...folders];
}
