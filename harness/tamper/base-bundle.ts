import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../document/digest.ts';
import type { BundleFile } from '../evidence/bundle-folder.ts';
import { TamperError } from './errors.ts';

export const INDEX = 'bundle.json';
export const STATEMENT = 'statement.json';
/** Every statement that a bundle can have; the first is always there. */
const STATEMENTS = [STATEMENT, 'statement-boundary.json', 'statement-image.json'];

/** `statement.json` → `statement.dsse.json`. */
export function envelopeOf(statement: string): string {
  return statement.replace(/\.json$/, '.dsse.json');
}

export const SUMS = 'SHA256SUMS';

export interface BundleIndex {
  readonly formatVersion: number;
  readonly runId: string;
  readonly nonce: string | null;
  readonly files: readonly BundleFile[];
}

/** One bundle in a merged one. */
export interface ShardBundle {
  /** From the root of the merged bundle. */
  readonly folder: string;
  readonly shard: BaseBundle;
}

const IN_SHARD = /^shards\//;

/**
 * The accepted bundle that is tampered with. Read-only: changes are told to the verifier, never made.
 *
 * Every listed file is held against the index when it is read, so that what is changed is what was accepted.
 */
export class BaseBundle {
  readonly folder: string;
  readonly index: BundleIndex;
  /** sha256 of `bundle.json`: names the whole bundle. */
  readonly sha256: string;
  readonly files: ReadonlyMap<string, BundleFile>;
  readonly statements: readonly string[];
  /** Envelopes that are there. */
  readonly envelopes: readonly string[];
  readonly #paths: ReadonlySet<string>;
  readonly #bytes = new Map<string, Buffer>();
  readonly #documents = new Map<string, unknown>();
  readonly #counts = new Map<string, number>();
  #listed: readonly string[] | null = null;
  #shards: readonly ShardBundle[] | null = null;
  #mentions: ReadonlyMap<string, readonly string[]> | null = null;

  private constructor(folder: string, index: Buffer) {
    this.folder = folder;
    this.index = JSON.parse(index.toString('utf8'));
    this.sha256 = sha256Hex(index);
    this.files = new Map(this.index.files.map((file) => [file.path, file]));
    const isThere = (path: string): boolean => tryRead(join(folder, path)) !== null;
    this.statements = STATEMENTS.filter(isThere);
    this.envelopes = STATEMENTS.map(envelopeOf).filter(isThere);
    this.#paths = new Set([...this.files.keys(), INDEX, SUMS, ...this.statements, ...this.envelopes]);
  }

  /** @throws {TamperError} EVIDENCE_UNREADABLE */
  static open(folder: string): BaseBundle {
    return new BaseBundle(folder, readRegular(folder, INDEX));
  }

  /** Every file of the folder: those of the list, and those that cannot be in it. */
  paths(): readonly string[] {
    return [...this.#paths];
  }

  /** Whether a file of this path belongs to the bundle. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** @throws {TamperError} EVIDENCE_UNREADABLE, EVIDENCE_CHANGED */
  read(path: string): Buffer {
    const known = this.#bytes.get(path);
    if (known !== undefined) return known;
    const bytes = readRegular(this.folder, path);
    const expected = path === INDEX ? this.sha256 : this.files.get(path)?.sha256;
    const actual = sha256Hex(bytes);
    if (expected !== undefined && actual !== expected) {
      throw new TamperError('EVIDENCE_CHANGED', 'evidence', { where: path, expected, actual });
    }
    this.#bytes.set(path, bytes);
    return bytes;
  }

  /** A parsed document; of a file of lines the list of all. */
  document(path: string): unknown {
    const known = this.#documents.get(path);
    if (known !== undefined) return known;
    const text = this.read(path).toString('utf8');
    const document: unknown = isLines(path) ? text.split('\n').slice(0, -1).map(parseLine) : JSON.parse(text);
    this.#documents.set(path, document);
    return document;
  }

  /** Listed documents of JSON, each a whole one or one a line; those of a shard are the shard's. */
  documents(): readonly string[] {
    this.#listed ??= [...this.files.keys()].filter(
      (path) => (path.endsWith('.json') || isLines(path)) && !IN_SHARD.test(path),
    );
    return this.#listed;
  }

  /** The bundles that a merged one holds; none of evidence of one run. */
  shards(): readonly ShardBundle[] {
    this.#shards ??= [...this.files.keys()].flatMap((path) => {
      const folder = /^(shards\/[0-9]+)\/bundle\.json$/.exec(path)?.[1];
      return folder === undefined ? [] : [{ folder, shard: BaseBundle.open(join(this.folder, folder)) }];
    });
    return this.#shards;
  }

  /** How many files have this digest. */
  filesWith(sha256: string): number {
    if (this.#counts.size === 0) {
      for (const file of this.index.files) {
        this.#counts.set(file.sha256, (this.#counts.get(file.sha256) ?? 0) + 1);
      }
    }
    return this.#counts.get(sha256) ?? 0;
  }

  /** Documents whose text holds the digest of a listed file. */
  mentionsOf(sha256: string): readonly string[] {
    this.#mentions ??= this.#findMentions();
    return this.#mentions.get(sha256) ?? [];
  }

  #findMentions(): ReadonlyMap<string, readonly string[]> {
    const digests = new Set(this.index.files.map((file) => file.sha256));
    const mentions = new Map<string, string[]>();
    for (const path of this.documents()) {
      const found = new Set(
        this.read(path)
          .toString('latin1')
          .match(/[0-9a-f]{64}/g) ?? [],
      );
      for (const sha256 of found) {
        if (!digests.has(sha256)) continue;
        mentions.set(sha256, [...(mentions.get(sha256) ?? []), path]);
      }
    }
    return mentions;
  }
}

/** Lines as they were read: of a file of lines most stay as they are. */
const lineTexts = new WeakMap<object, string>();

function parseLine(text: string): unknown {
  const line: unknown = JSON.parse(text);
  if (typeof line === 'object' && line !== null) lineTexts.set(line, text);
  return line;
}

/** The text of a line that was read from a bundle and is still the same; null of any other value. */
export function lineTextOf(line: unknown): string | null {
  return typeof line === 'object' && line !== null ? (lineTexts.get(line) ?? null) : null;
}

export function isLines(path: string): boolean {
  return path.endsWith('.ndjson');
}

function readRegular(folder: string, path: string): Buffer {
  const bytes = tryRead(join(folder, path));
  if (bytes !== null) return bytes;
  const details = { where: path, expected: 'a regular file', actual: 'none' };
  throw new TamperError('EVIDENCE_UNREADABLE', 'evidence', details);
}

/** The folder may be a stranger's: no link in the place of a file is followed. */
function tryRead(path: string): Buffer | null {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}
