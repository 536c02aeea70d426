import { type BoundaryKind, nameKind } from '../boundary/kind.ts';
import { sha256Hex } from '../document/digest.ts';
import type { OutsideView } from '../engine/engine.ts';

/** What boxes of one kind have in common: the image of a Node version, and what a case chooses of its boundary. */
export interface KindName extends BoundaryKind {
  readonly node: string;
}

/** @throws when the view of the box is not the declared boundary. */
export type JudgeOutside = (kind: KindName, outside: OutsideView, boxName: string) => void;

/**
 * Holds the outside view of every box of a run against the declared boundary.
 *
 * Boxes of one kind look the same, and ten thousand copies of the same view would be most of a run's memory
 * and comparing: equal views are judged once and kept once. Every box is read all the same.
 */
export class OutsideViews {
  readonly #judge: JudgeOutside;
  readonly #accepted = new Map<string, OutsideView>();

  constructor(judge: JudgeOutside) {
    this.#judge = judge;
  }

  /**
   * The view, or an equal one that was accepted before for the same kind.
   * @throws what the judge throws.
   */
  accept(kind: KindName, view: OutsideView, boxName: string): OutsideView {
    const digest = sha256Hex(Buffer.from(JSON.stringify(view), 'utf8'));
    const key = `${kind.node} ${nameKind(kind)} ${digest}`;
    const known = this.#accepted.get(key);
    if (known !== undefined) return known;
    this.#judge(kind, view, boxName);
    this.#accepted.set(key, view);
    return view;
  }
}
