import type { Node } from 'yaml';

/** Where each part of the compiled suite stands in the file, by JSON Pointer. */
export type Places = Map<string, Node>;
