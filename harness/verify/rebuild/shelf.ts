import { isBrought } from '../inputs/base.ts';
import { readArchive } from '../inputs/candidate-archive.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { ARCHIVES_PREFIX, neededArchives } from '../inputs/suite-archives.ts';
import { readBytes } from '../read.ts';
import type { Manifest } from '../shape/inputs.ts';
import type { Report } from '../shape/report.ts';
import type { Suite } from '../shape/suite.ts';
import type { SuiteArchive } from '../shape/suite-archive.ts';
import { ownContents } from './base.ts';
import { type BroughtFiles, readBrought } from './brought-base.ts';
import { Contents, type ReadPieces, sha256Of } from './contents.ts';
import { type DebianFile, readDebianPackage } from './debian-package.ts';
import type { GivenArchives } from './given-archives.ts';
import type { Bytes } from './layer-form.ts';
import { readSuiteArchive } from './suite-archive.ts';
import type { TreePackage } from './tree.ts';

type Archive = Manifest['archives'][number];

const RUNTIME_FILES: Readonly<Record<string, readonly [path: string, mode: string]>> = {
  'package/bin/node': ['usr/local/bin/node', '0755'],
  'package/LICENSE': ['usr/local/LICENSE', '0644'],
};
const OWN_PROGRAM_LIMIT_BYTES = 1024 * 1024;

/** What the archives at hand hold, each read once. */
export class Shelf {
  readonly contents: Contents;
  /** Of each base package, its files. */
  readonly base: (readonly DebianFile[])[] = [];
  /** By Node version: what its archive puts where. */
  readonly runtimes = new Map<string, ReadonlyMap<string, string>>();
  /** Packages of the tree, in the order of the lock. */
  readonly packages: TreePackage[] = [];
  /** Names of archives that are not at hand, or that this reader does not understand. */
  readonly absent: string[] = [];
  readonly lackedPlaces: string[] = [];
  /** Of each suite archive that is at hand: where it lies, and what it holds. */
  readonly suiteArchives: { readonly home: string; readonly files: ReadonlyMap<string, string> }[] = [];
  /** Contents of suite archives that are too large to be held. */
  readonly #large = new Map<string, ReadPieces>();
  lacksBase = false;
  /** The root file system that somebody brought as base, or why its files are not known; null: a base of packages. */
  brought: { readonly name: string; readonly files: BroughtFiles } | null = null;

  private constructor(wanted: ReadonlySet<string>) {
    this.contents = new Contents(wanted);
  }

  static async open(
    given: GivenArchives,
    parts: {
      readonly report: Report;
      readonly inputs: Inputs;
      readonly run: { readonly suites: readonly Suite[] };
    },
    wanted: ReadonlySet<string>,
  ): Promise<Shelf> {
    const shelf = new Shelf(wanted);
    for (const content of [Buffer.alloc(0), ...ownContents()]) shelf.#keep(content);
    for (const archive of parts.inputs.manifest.archives) {
      if (archive.role === 'base') await shelf.#addBase(archive, given);
      if (archive.role === 'runtime') await shelf.#addRuntime(archive, given);
    }
    for (const archive of neededArchives(parts.run.suites).values())
      await shelf.#addSuiteArchive(archive, given);
    await shelf.#addPackages(given, parts);
    await shelf.#addOwnPrograms(given, parts.inputs.manifest);
    return shelf;
  }

  /** A content by its digest. */
  find(sha256: string): Bytes | null {
    return this.contents.find(sha256) ?? this.#large.get(sha256) ?? null;
  }

  async #addSuiteArchive(archive: SuiteArchive, given: GivenArchives): Promise<void> {
    const found = given.find(archive.sha256);
    const keep = {
      whole: this.contents.keep,
      large: (sha256: string, read: ReadPieces) => this.#large.set(sha256, read),
    };
    const files = found === null ? 'not at hand' : await readSuiteArchive(archive, found, keep);
    if (found === null || typeof files === 'string') {
      this.absent.push(archive.name);
      return;
    }
    this.suiteArchives.push({ home: `${ARCHIVES_PREFIX}/${archive.name}`, files });
  }

  #keep(content: Buffer): void {
    this.contents.keep(sha256Of(content), content);
  }

  async #addBase(archive: Archive, given: GivenArchives): Promise<void> {
    const found = given.find(archive.sha256);
    if (isBrought(archive.name)) {
      const files = found === null ? 'it is not at hand' : await readBrought(found, this.contents.keep);
      this.brought = { name: archive.name, files };
      if (typeof files === 'string') this.absent.push(archive.name);
      return;
    }
    const files = found === null ? 'not at hand' : await readDebianPackage(found);
    if (typeof files === 'string') {
      this.absent.push(archive.name);
      this.lacksBase = true;
      return;
    }
    for (const { kind, content } of files) if (kind === 'file') this.#keep(content);
    this.base.push(files);
  }

  async #addRuntime(archive: Archive, given: GivenArchives): Promise<void> {
    const found = given.find(archive.sha256);
    const read = found === null ? null : await readArchive(found.source, found.path, this.contents.keep);
    if (read === null || read.fault !== null) {
      this.absent.push(archive.name);
      return;
    }
    const files = read.entries.flatMap(({ path, sizeBytes, sha256 }): [string, string][] => {
      const place = Object.hasOwn(RUNTIME_FILES, path) ? RUNTIME_FILES[path] : undefined;
      return place === undefined ? [] : [[place[0], `file ${place[1]} ${sizeBytes} ${sha256}`]];
    });
    this.runtimes.set(archive.name.slice(archive.name.lastIndexOf('@') + 1), new Map(files));
  }

  /** Packages that the platform installs have an archive in the manifest; others are in the lock alone. */
  async #addPackages(
    given: GivenArchives,
    { report, inputs }: { readonly report: Report; readonly inputs: Inputs },
  ): Promise<void> {
    const { archives } = inputs.manifest;
    const home = `node_modules/${report.candidate.name}`;
    const siblings = archives.filter(({ role }) => role === 'sibling');
    for (const [place, entry] of Object.entries(inputs.lock ?? {})) {
      if (place === '') continue;
      if (entry.inBundle === true) {
        this.packages.push({ place, entry, archive: null });
        continue;
      }
      const sha512 = Buffer.from((entry.integrity ?? '').replace(/^sha512-/, ''), 'base64').toString('hex');
      const own =
        place === home
          ? archives.find(({ role }) => role === 'candidate')
          : (archives.find(({ role, name }) => role === 'dependency' && name === place) ??
            siblings.find((sibling) => sibling.sha512 === sha512));
      if (own === undefined) continue;
      const found = given.find(own.sha256);
      const read = found === null ? null : await readArchive(found.source, found.path, this.contents.keep);
      if (read === null || read.fault !== null) {
        this.absent.push(own.name);
        this.lackedPlaces.push(place);
        continue;
      }
      this.packages.push({ place, entry, archive: read });
    }
  }

  /**
   * packproof's own two programs in the base: from files that are given as they are, or from packproof's own
   * tarball, which no manifest lists.
   */
  async #addOwnPrograms(given: GivenArchives, { archives }: Manifest): Promise<void> {
    const listed = new Set(archives.map(({ sha256 }) => sha256));
    for (const { sha256, archive } of given.others(listed)) {
      const bytes = readBytes(archive.source, archive.path, OWN_PROGRAM_LIMIT_BYTES);
      if (bytes !== null) this.contents.keep(sha256, bytes);
      if (/packproof.*\.tgz$/u.test(archive.path)) {
        await readArchive(archive.source, archive.path, this.contents.keep);
      }
    }
  }
}
