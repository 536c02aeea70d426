#!/usr/bin/env node
/**
 * Regenerates `docker/base.lock.json` from Debian's signed package index.
 *
 *   node scripts/base-lock.mjs --mirror URL [--release bookworm] [--write]
 *
 * `--mirror` is the folder that holds `debian/` and `debian-security/`. Every index is bound to its
 * InRelease file, and that one to Debian's archive keys by gpgv, before a line of it is believed. Without
 * `--write` the lock goes to stdout. Needs `gpgv`, `xz`, `dpkg` and the package `debian-archive-keyring`.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { $, fs, path, tmpdir } from 'zx';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

const ARCHITECTURES = [
  {
    platform: 'linux/amd64',
    debian: 'amd64',
    triplet: 'x86_64-linux-gnu',
    loader: 'lib64/ld-linux-x86-64.so.2',
    vectorLibrary: ['libmvec.so.1'],
  },
  {
    platform: 'linux/arm64',
    debian: 'arm64',
    triplet: 'aarch64-linux-gnu',
    loader: 'lib/ld-linux-aarch64.so.1',
    vectorLibrary: [],
  },
];

/** What native addons and Node itself load of glibc; debug and NIS libraries stay out. */
const GLIBC = [
  'libanl.so.1',
  'libc.so.6',
  'libdl.so.2',
  'libm.so.6',
  'libnss_dns.so.2',
  'libnss_files.so.2',
  'libpthread.so.0',
  'libresolv.so.2',
  'librt.so.1',
  'libutil.so.1',
];

/** What is taken of each package, and where it is laid. Everything else of it stays out of the image. */
function inclusionsByPackage({ triplet, loader, vectorLibrary }) {
  const loaderFile = loader.slice(loader.indexOf('/') + 1);
  const glibc = [...GLIBC, ...vectorLibrary, loaderFile].map((name) => `lib/${triplet}/${name}`);
  return {
    // Launchers of packed CLIs are shell scripts that call dirname, readlink, uname or sed: every user has
    // these, so a box without them would find faults that nobody meets.
    coreutils: laid('bin/', 'usr/bin/'),
    dash: laid('bin/dash', 'bin/sh'),
    libatomic1: laid(`usr/lib/${triplet}/libatomic.so.1`, `usr/lib/${triplet}/libatomic.so.1.2.0`),
    'libc-bin': laid('usr/lib/locale/C.utf8/'),
    libc6: laid(...glibc, loader),
    grep: laid('bin/'),
    libacl1: laid(`usr/lib/${triplet}/libacl.so.1`, `usr/lib/${triplet}/libacl.so.1.1.2301`),
    libattr1: laid(`usr/lib/${triplet}/libattr.so.1`, `usr/lib/${triplet}/libattr.so.1.1.2501`),
    libcrypt1: laid(`lib/${triplet}/libcrypt.so.1`, `lib/${triplet}/libcrypt.so.1.1.0`),
    libgmp10: laid(`usr/lib/${triplet}/libgmp.so.10`, `usr/lib/${triplet}/libgmp.so.10.4.1`),
    'libgcc-s1': laid(`lib/${triplet}/libgcc_s.so.1`),
    // Resolves `localhost` and the box's own name without /etc/hosts, which Docker Engine replaces by an empty file.
    'libnss-myhostname': laid(`usr/lib/${triplet}/libnss_myhostname.so.2`),
    'libpcre2-8-0': laid(`usr/lib/${triplet}/libpcre2-8.so.0`, `usr/lib/${triplet}/libpcre2-8.so.0.11.2`),
    libselinux1: laid(`lib/${triplet}/libselinux.so.1`),
    'libstdc++6': laid(`usr/lib/${triplet}/libstdc++.so.6`, `usr/lib/${triplet}/libstdc++.so.6.0.30`),
    // The interpreter alone: holder and probe use builtins only, so that nothing else is there to be trusted.
    sed: laid('bin/sed'),
    'perl-base': [{ from: 'usr/bin/perl', to: '.packproof/perl' }],
  };
}

/** Debian's /usr merge: what a package ships under /bin, /sbin or /lib* lies under /usr in the image. */
function laid(...paths) {
  return paths.map((from) => ({ from, to: /^(bin|sbin|lib|lib64)\//u.test(from) ? `usr/${from}` : from }));
}

async function fetchBytes(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`base-lock: ${url}: expected 200, got ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The text of InRelease, after its signature held. */
async function fetchRelease(mirror, suite) {
  const folder = tmpdir();
  try {
    const [signed, release] = [path.join(folder, 'InRelease'), path.join(folder, 'Release')];
    await fs.writeFile(signed, await fetchBytes(`${mirror}/${suite.archive}/dists/${suite.name}/InRelease`));
    await $`gpgv --quiet --keyring ${KEYRING} --output ${release} ${signed}`;
    return await fs.readFile(release, 'utf8');
  } finally {
    await fs.remove(folder);
  }
}

/** The stanzas of one package index, after its bytes matched the signed release. */
async function fetchIndex({ mirror, suite, architecture }) {
  const file = `main/binary-${architecture.debian}/Packages.xz`;
  const line = new RegExp(`^ ([0-9a-f]{64}) +[0-9]+ ${file.replaceAll('.', '\\.')}$`, 'mu');
  const expected = line.exec(suite.release)?.[1];
  const bytes = await fetchBytes(`${mirror}/${suite.archive}/dists/${suite.name}/${file}`);
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== expected) throw new Error(`base-lock: ${file}: expected ${expected}, got ${actual}`);
  const { stdout } = await $({ input: bytes, quiet: true })`xz -dc`;
  return stdout.split('\n\n').map((stanza) => toEntry(stanza, suite.archive));
}

function toEntry(stanza, archive) {
  const field = (name) => new RegExp(`^${name}: (.*)$`, 'mu').exec(stanza)?.[1] ?? '';
  return {
    package: field('Package'),
    version: field('Version'),
    architecture: field('Architecture'),
    archive,
    poolPath: field('Filename'),
    sizeBytes: Number(field('Size')),
    sha256: field('SHA256'),
  };
}

/** The newest of several versions, as dpkg itself decides it (Debian Policy 5.6.12). */
async function newest(entries) {
  let best = entries[0];
  for (const entry of entries.slice(1)) {
    const test = await $({ nothrow: true })`dpkg --compare-versions ${entry.version} gt ${best.version}`;
    if (test.exitCode === 0) best = entry;
  }
  return best;
}

async function lockArchitecture({ mirror, suites, architecture }) {
  const indexes = await Promise.all(suites.map((suite) => fetchIndex({ mirror, suite, architecture })));
  const archives = [];
  for (const [name, include] of Object.entries(inclusionsByPackage(architecture))) {
    const entry = await newest(indexes.flat().filter((candidate) => candidate.package === name));
    if (entry === undefined) throw new Error(`base-lock: ${name}: expected an index entry, got none`);
    archives.push({ ...entry, include });
  }
  return { archives };
}

async function main() {
  const { values } = parseArgs({
    options: {
      mirror: { type: 'string' },
      release: { type: 'string', default: 'bookworm' },
      write: { type: 'boolean', default: false },
    },
  });
  if (values.mirror === undefined) throw new Error('base-lock: --mirror: expected a URL, got nothing');
  const mirror = values.mirror.replace(/\/$/u, '');
  const names = { debian: values.release, 'debian-security': `${values.release}-security` };
  const suites = [];
  for (const [archive, name] of Object.entries(names)) {
    suites.push({ archive, name, release: await fetchRelease(mirror, { archive, name }) });
  }
  const platforms = {};
  for (const architecture of ARCHITECTURES) {
    platforms[architecture.platform] = await lockArchitecture({ mirror, suites, architecture });
  }
  const version = /^Version: (.+)$/mu.exec(suites[0].release)?.[1] ?? '';
  const lock = { formatVersion: 1, release: { codename: values.release, version }, platforms };
  const text = `${JSON.stringify(lock, null, 2)}\n`;
  if (values.write)
    await fs.writeFile(fileURLToPath(new URL('../docker/base.lock.json', import.meta.url)), text);
  else process.stdout.write(text);
}

await main();
