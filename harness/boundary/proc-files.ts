import { type MeasuredBoundary, type MeasuredMount, UNLIMITED } from './measured.ts';

/** Options of an overlay that are folders of the host. */
const HOST_PATH_OPTIONS = /^(lowerdir|upperdir|workdir|datadir)\+?=/;

/**
 * The named fields of a status file; a field that is not there reads as empty.
 * Source of this and the following forms: proc(5) and its parts.
 */
export function parseStatus(text: string, names: readonly string[]): Readonly<Record<string, string>> {
  const found = new Map(
    text.split('\n').map((line): [string, string] => {
      const [name = '', ...rest] = line.split(':');
      return [name, rest.join(':').trim().replace(/\s+/g, ' ')];
    }),
  );
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? '']));
}

/** Every line of a mountinfo file, in the kernel's order, without anything of the host. */
export function parseMountInfo(text: string): readonly MeasuredMount[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = line.split(' ');
      const separator = fields.indexOf('-', 6);
      const options = [fields[5], fields[separator + 3]].flatMap((field) => (field ?? '').split(','));
      return {
        path: unescapeOctal(fields[4] ?? ''),
        type: separator < 0 ? '' : (fields[separator + 1] ?? ''),
        options: [...new Set(options)].filter((option) => option !== '' && !HOST_PATH_OPTIONS.test(option)),
      };
    });
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** The kernel's words for the limits that a boundary sets. */
const LIMIT_WORDS: Readonly<Record<string, string>> = {
  'Max core file size': 'RLIMIT_CORE',
  'Max file size': 'RLIMIT_FSIZE',
  'Max open files': 'RLIMIT_NOFILE',
};

/** The limits that a boundary sets, sorted by name; others are the host's own. */
export function parseResourceLimits(text: string): MeasuredBoundary['resourceLimits'] {
  return text
    .split('\n')
    .flatMap((line) => {
      const [, words = '', soft = '', hard = ''] = /^(\D+?) {2,}(\S+) +(\S+)/.exec(line) ?? [];
      const name = LIMIT_WORDS[words];
      return name === undefined ? [] : [{ name, soft: toLimit(soft), hard: toLimit(hard) }];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function toLimit(text: string): number {
  return text === 'unlimited' ? UNLIMITED : Number(text);
}

/** Names of the interfaces in a `/proc/net/dev`; its first two lines are headings. */
export function parseInterfaces(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(2)
    .filter((line) => line.includes(':'))
    .map((line) => line.slice(0, line.indexOf(':')).trim());
}

/** Names of the sockets in a `/proc/net/unix`, `unnamed` for those without; its first line is a heading. */
export function parseUnixSockets(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.trim().split(/\s+/).slice(7).join(' ') || 'unnamed');
}

/** Paths of a `/proc/PID/cgroup`, each once. */
export function parseCgroupPaths(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return [...new Set(lines.map((line) => line.split(':').slice(2).join(':')))];
}

export function parseDevices(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

/** `0 pipe`: the inode number after the kind differs from box to box and says nothing. */
export function parseDescriptors(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/:\[\d+\]$/, ''));
}

export function parseEnvironment(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text
      .split('\0')
      .filter((line) => line !== '')
      .map((line): [string, string] => {
        const end = line.indexOf('=');
        return [line.slice(0, end), line.slice(end + 1)];
      }),
  );
}

/** `id` is `space.` and the path. */
export function parseSpace(id: string, text: string): MeasuredBoundary['spaces'][number] {
  const [sizeBytes, inodes] = text.split(' ').map(Number);
  return { path: id.slice('space.'.length), sizeBytes: sizeBytes ?? UNLIMITED, inodes: inodes ?? UNLIMITED };
}
