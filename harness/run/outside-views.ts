import type { Boundary } from '../boundary/boundary.ts';
import { sha256Hex } from '../document/digest.ts';
import type { OutsideView } from '../engine/engine.ts';

/** @throws when the view of the box is not the declared boundary. */
export type JudgeOutside = (boundary: Boundary, outside: OutsideView, boxName: string) => void;

/**
 * Holds the outside view of every box of a run against the declared boundary.
 *
 * Boxes of one kind look the same, and ten thousand copies of the same view would be most of a run's memory
 * and comparing: equal views are judged once and kept once. Every box is read all the same.
 */
export class OutsideViews {
  readonly #boundary: (exec: boolean) => Boundary;
  readonly #judge: JudgeOutside;
  readonly #accepted = new Map<string, OutsideView>();

  constructor(boundary: (exec: boolean) => Boundary, judge: JudgeOutside) {
    this.#boundary = boundary;
    this.#judge = judge;
  }

  /**
   * The view, or an equal one that was accepted before.
   * @throws what the judge throws.
   */
  accept(exec: boolean, view: OutsideView, boxName: string): OutsideView {
    const key = `${exec} ${sha256Hex(Buffer.from(JSON.stringify(view), 'utf8'))}`;
    const known = this.#accepted.get(key);
    if (known !== undefined) return known;
    this.#judge(this.#boundary(exec), view, boxName);
    this.#accepted.set(key, view);
    return view;
  }
}
