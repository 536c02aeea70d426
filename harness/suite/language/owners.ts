import { isMap, type Node } from 'yaml';
import type { CompiledFile } from '../compiled.ts';
import { BOX_USER } from '../layout.ts';
import { OWNER_LIMIT } from '../limits.ts';
import type { Context } from './context.ts';
import { KEYS, WORDS } from './keys.ts';
import { readFields, readInteger, readWord } from './read.ts';

/** The user of a box, root, and one that is neither. */
const OWNERS = {
  candidate: BOX_USER,
  root: { uid: 0, gid: 0 },
  other: { uid: 1001, gid: 1001 },
} as const;

/** Whose the entry at a path is; nothing for what is of the user of the box anyhow. */
export function readOwner(
  node: Node | undefined,
  path: string,
  { problems }: Context,
): readonly Extract<CompiledFile, { readonly kind: 'owner' }>[] {
  if (node === undefined) return [];
  if (!isMap(node)) return toEntry(OWNERS[readWord(node, WORDS.owner, problems)], path);
  const fields = readFields(node, { keys: KEYS.owner, required: KEYS.owner }, problems);
  const id = (key: 'uid' | 'gid'): number => {
    const found = fields.get(key);
    return found === undefined ? 0 : readInteger(found, { min: 0, max: OWNER_LIMIT }, problems);
  };
  return toEntry({ uid: id('uid'), gid: id('gid') }, path);
}

function toEntry(
  { uid, gid }: { readonly uid: number; readonly gid: number },
  path: string,
): ReturnType<typeof readOwner> {
  const { candidate } = OWNERS;
  return uid === candidate.uid && gid === candidate.gid ? [] : [{ kind: 'owner', path, uid, gid }];
}
