import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import type { OutsideView } from '../engine/engine.ts';
import type { BundleFolder } from './bundle-folder.ts';

/** A stored outside view: `boundary/outside/<sha256 of these bytes>.json`. */
export interface OutsideDocument {
  readonly formatVersion: 1;
  readonly outside: OutsideView;
}

/**
 * The outside views of a bundle. Boxes of one kind look the same, and ten thousand copies of one view would be
 * most of a bundle: each distinct view is written once, under its digest, which the receipts name.
 */
export class OutsideFiles {
  readonly #folder: BundleFolder;
  /** By identity, since the runner keeps equal views once; equal bytes of another object are found by digest. */
  readonly #named = new Map<OutsideView, string>();
  readonly #written = new Set<string>();

  constructor(folder: BundleFolder) {
    this.#folder = folder;
  }

  /**
   * Digest of the stored view, in hex; writes it when it is new.
   * @throws {EvidenceError} WRITE_FAILED
   */
  async store(view: OutsideView): Promise<string> {
    const known = this.#named.get(view);
    if (known !== undefined) return known;
    const document: OutsideDocument = { formatVersion: 1, outside: view };
    const bytes = toCanonicalBytes(document);
    const sha256 = sha256Hex(bytes);
    if (!this.#written.has(sha256)) {
      this.#written.add(sha256);
      await this.#folder.writeBytes(`boundary/outside/${sha256}.json`, bytes);
    }
    this.#named.set(view, sha256);
    return sha256;
  }
}
