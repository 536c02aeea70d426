import type { Boundary } from '../boundary/boundary.ts';
import type { LoadedImage } from '../engine/engine.ts';
import type { BoxOpener } from './box-opener.ts';
import type { RunStop } from './run-stop.ts';

/** A kind of box: cases of the same kind run in boxes that differ in nothing but their files. */
export interface BoxKind {
  readonly node: string;
  readonly image: LoadedImage;
  readonly exec: boolean;
}

export interface ProbeSetting {
  readonly opener: BoxOpener;
  readonly stop: RunStop;
  readonly boundary: (exec: boolean) => Boundary;
  readonly jobs: number;
  readonly kinds: readonly BoxKind[];
}
