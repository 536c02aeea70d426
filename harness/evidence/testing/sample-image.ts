import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { NamedFile } from '../../suite/observation.ts';
import type { ImageRecord } from '../export-input.ts';
import { SAMPLE_BIN, SAMPLE_FILES, SAMPLE_NAME } from './sample-archive.ts';

const HOME = `node_modules/${SAMPLE_NAME}`;

interface Line {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly mode: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly target: string | null;
}

/** What npm makes of the sample's files: `.gitignore` renamed, the bin executable and without its CR. */
const INSTALLED = SAMPLE_FILES.map(({ path, content }) => {
  const isBin = path === 'cli.js';
  const bytes = isBin ? Buffer.from(content.toString('utf8').replace('\r', '')) : content;
  return { path: path.replace('.gitignore', '.npmignore'), mode: isBin ? '0755' : '0644', bytes };
});

const CLI = digestOf('cli.js');

function digestOf(path: string): { readonly before: string; readonly after: string } {
  const before = SAMPLE_FILES.find((file) => file.path === path)?.content ?? Buffer.alloc(0);
  const after = INSTALLED.find((file) => file.path === path)?.bytes ?? Buffer.alloc(0);
  return { before: sha256Hex(before), after: sha256Hex(after) };
}

/** What its bin is in the image, links followed. */
export function installedCli(): NonNullable<NamedFile['file']> {
  const bytes = INSTALLED.find((file) => file.path === 'cli.js')?.bytes ?? Buffer.alloc(0);
  return {
    path: `/opt/candidate/${HOME}/cli.js`,
    mode: '0755',
    sizeBytes: bytes.length,
    sha256: sha256Hex(bytes),
  };
}

/** The sample's image: the candidate alone, in its two copies. */
export function sampleInventory(): Buffer {
  const roots = [`opt/candidate/${HOME}`, `opt/candidate/global/lib/${HOME}`];
  const files = roots.flatMap((root) =>
    INSTALLED.map(
      ({ path, mode, bytes }): Line => ({
        path: `${root}/${path}`,
        kind: 'file',
        mode,
        sizeBytes: bytes.length,
        sha256: sha256Hex(bytes),
        target: null,
      }),
    ),
  );
  const links = [
    toLink(`opt/candidate/node_modules/.bin/${SAMPLE_BIN}`, `../${SAMPLE_NAME}/cli.js`),
    toLink(`opt/candidate/global/bin/${SAMPLE_BIN}`, `../lib/${HOME}/cli.js`),
    toLink(`opt/candidate/global/lib/${HOME}/node_modules`, '/opt/candidate/node_modules'),
  ];
  const lines = [...files, ...links];
  const folders = new Set(lines.flatMap(({ path }) => parentsOf(path)));
  const all = [
    ...lines,
    ...[...folders].map((path): Line => ({ path, kind: 'directory', mode: '0755', ...EMPTY })),
  ].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return Buffer.from(all.map((line) => `${toCanonicalBytes(line).toString('utf8')}\n`).join(''), 'utf8');
}

const EMPTY = { sizeBytes: 0, sha256: null, target: null };

function toLink(path: string, target: string): Line {
  return { path, kind: 'symlink', mode: '0777', ...EMPTY, target };
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

export function sampleImage(node: string, inventoryFile: string): ImageRecord {
  const diffIds = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
  const configBytes = toCanonicalBytes({
    architecture: 'amd64',
    config: { Env: ['PATH=/usr/local/bin:/usr/bin:/bin'], User: '1000:1000', WorkingDir: '/work' },
    created: '1970-01-01T00:00:00Z',
    os: 'linux',
    rootfs: { diff_ids: diffIds.map((id) => `sha256:${id}`), type: 'layers' },
  });
  const configDigest = sha256Hex(configBytes);
  const path = (name: string): string => `${HOME}/${name}`;
  return {
    node,
    configBytes,
    inventoryFile,
    readback: {
      formatVersion: 1,
      node,
      configDigest,
      diffIds,
      engineId: `overlay:${configDigest}`,
      filesCompared: sampleInventory().toString('utf8').split('\n').length - 1,
      findings: [],
      transforms: [
        {
          kind: 'renamed',
          path: path('lib/.gitignore'),
          before: path('lib/.gitignore'),
          after: path('lib/.npmignore'),
        },
        { kind: 'mode-mask', path: path('lib/.npmignore'), before: '0664', after: '0644' },
        { kind: 'bin-mode', path: path('cli.js'), before: '0644', after: '0755' },
        {
          kind: 'bin-link',
          path: `node_modules/.bin/${SAMPLE_BIN}`,
          before: null,
          after: `../${SAMPLE_NAME}/cli.js`,
        },
        { kind: 'crlf-shebang', path: path('cli.js'), before: CLI.before, after: CLI.after },
      ],
    },
  };
}
