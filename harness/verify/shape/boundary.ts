import { mounts, outside, resourceLimits, status, writables } from './receipt.ts';
import {
  flag,
  integer,
  list,
  literal,
  matching,
  number,
  object,
  orNull,
  recordOf,
  type Shaped,
} from './shape.ts';
import { boundaryLimits, count, nodeVersion, platform, sentence, sha256, word, words } from './values.ts';

const limit = integer(-1, Number.MAX_SAFE_INTEGER);

const boundary = object({
  formatVersion: literal(1),
  platform,
  uid: count,
  gid: count,
  supplementaryGids: list(count, 1000),
  capabilities: words,
  noNewPrivileges: flag,
  seccompSha256: sha256,
  network: word,
  rootReadOnly: flag,
  mounts: writables,
  ipc: word,
  cgroupNamespace: word,
  pidsLimit: limit,
  memoryBytes: limit,
  memorySwapBytes: limit,
  cpuMillis: limit,
  hostname: word,
  resourceLimits,
  maskedPaths: words,
  readonlyPaths: words,
});

const errno = literal('EPERM', 'ENOSYS');
const call = matching(/^[a-z0-9_]{2,40}$/, 40);
const hex = matching(/^0x(?:0|[1-9a-f][0-9a-f]{0,7})$/, 10);
const calls = list(call, 1000);
const conditional = list(
  object({
    syscall: call,
    reason: sentence,
    arguments: list(object({ index: integer(0, 5), mask: hex, oneOf: list(hex, 100) }), 6),
  }),
  1000,
);

const seccomp = object({
  formatVersion: literal(1),
  defaultErrno: errno,
  allow: calls,
  allowOnly: object({ 'linux/amd64': calls, 'linux/arm64': calls }),
  allowWhen: conditional,
  allowWhenOnly: object({ 'linux/amd64': conditional, 'linux/arm64': conditional }),
  answers: list(object({ syscall: call, errno, reason: sentence }), 100),
  refused: list(object({ reason: sentence, syscalls: calls }), 1000),
});

/** `boundary/declared.json`. */
export const declaredShape = object({
  formatVersion: literal(1),
  boundaries: list(object({ exec: flag, limits: boundaryLimits, boundary }), 8),
  seccomp,
});

/** `boundary/engine.json`. */
export const engineShape = object({
  formatVersion: literal(1),
  views: list(object({ node: nodeVersion, exec: flag, limits: boundaryLimits, outside }), 1000),
});

/** `boundary/outside/<sha256>.json`: a box as read from outside, which attempts name by its digest. */
export const outsideShape = object({ formatVersion: literal(1), outside });

/** A box need not show its limits; the outside view must then. */
const shownLimit = orNull(number(-1, Number.MAX_SAFE_INTEGER));

const measured = object({
  formatVersion: literal(1),
  platform,
  status,
  mounts,
  spaces: list(object({ path: word, sizeBytes: limit, inodes: limit }), 100),
  resourceLimits: list(object({ name: word, soft: limit, hard: limit }), 100),
  limits: object({
    pids: shownLimit,
    memoryBytes: shownLimit,
    memorySwapBytes: shownLimit,
    cpuMillis: shownLimit,
  }),
  interfaces: words,
  unixSockets: words,
  setIdFiles: words,
  cgroupPaths: words,
  hostname: word,
  domainname: word,
  devices: words,
  descriptors: words,
  workingFolder: word,
  environment: recordOf(word, /^[\s\S]{1,200}$/, 1000),
  localTimeIsUtc: flag,
  holder: words,
  outcomes: recordOf(word, /^[\s\S]{1,300}$/, 10_000),
});

/** `boundary/measured.json`. */
export const measuredShape = object({
  formatVersion: literal(1),
  views: list(object({ node: nodeVersion, exec: flag, limits: boundaryLimits, measured }), 1000),
});

export type Boundary = Shaped<typeof boundary>;
export type SeccompPolicy = Shaped<typeof seccomp>;
export type Declared = Shaped<typeof declaredShape>;
export type Measured = Shaped<typeof measured>;
