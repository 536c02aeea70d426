import { setFlagsFromString } from 'node:v8';

/**
 * Lets this process collect its garbage early. A run waits for boxes most of its time, and shares its machine with
 * them: on ten thousand cases it needs a quarter less memory, for a few seconds of ten minutes.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--optimize-for-size');
}
