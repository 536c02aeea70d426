import type { Box, Engine, EngineFacts, ImageFile, LoadedImage, OpenRequest } from '../../engine/engine.ts';
import { NO_IMAGE } from './plain-case.ts';

const FACTS: EngineFacts = {
  name: 'runc',
  version: '0',
  apiVersion: null,
  runtime: { name: 'scripted', version: '0' },
  kernel: '0',
  cgroupVersion: 1,
  storage: 'none',
  evidenceWay: 'host',
};

/** An engine whose boxes a test makes; for tests of order and termination only. */
export class ScriptedEngine implements Engine {
  readonly name = 'runc';
  readonly opened: OpenRequest[] = [];
  readonly #open: (request: OpenRequest) => Promise<Box>;

  constructor(open: (request: OpenRequest) => Promise<Box>) {
    this.#open = open;
  }

  facts(): Promise<EngineFacts> {
    return Promise.resolve(FACTS);
  }

  ensureImage(): Promise<LoadedImage> {
    return Promise.resolve(NO_IMAGE);
  }

  async *readImage(): AsyncIterable<ImageFile> {}

  open(request: OpenRequest): Promise<Box> {
    this.opened.push(request);
    return this.#open(request);
  }

  sweep(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }
}
