import type { Boundary } from '../../boundary/boundary.ts';
import type { Box, Engine, OpenRequest, OutsideView } from '../../engine/engine.ts';
import { replaceMembers } from './slow-engine.ts';

/** What an engine does other than asked, and what it then says of itself. */
export interface Lie {
  /** Boxes that it concerns. */
  concerns(request: OpenRequest): boolean;
  readonly boundary: Partial<Boundary>;
  disguise(view: OutsideView): OutsideView;
}

/** The same engine, but some of its boxes have another boundary than was asked for, and say otherwise. */
export function lyingEngine(engine: Engine, lie: Lie): Engine {
  return replaceMembers(engine, {
    open: async (request) => {
      if (!lie.concerns(request)) return engine.open(request);
      const boundary = { ...request.boundary, ...lie.boundary };
      return disguised(await engine.open({ ...request, boundary }), lie);
    },
  });
}

function disguised(box: Box, lie: Lie): Box {
  return replaceMembers(box, { outside: async () => lie.disguise(await box.outside()) });
}
