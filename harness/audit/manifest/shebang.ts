import type { FindingCode } from '../catalogue/catalogue.ts';

/** What the first bytes of a command's file say about how it starts. */
export interface Start {
  readonly kind: 'node' | 'other-interpreter' | 'native' | 'none';
  /** The fault of this start, or a fact about it; null when it is plain. */
  readonly code: FindingCode | null;
  /** The interpreter line, or what stands in its place. */
  readonly line: string;
  /** Node is started with nothing that changes how modules are found. */
  readonly plainNode: boolean;
}

/** The kernel reads no more of an interpreter line (BINPRM_BUF_SIZE). */
const LINE_BYTES = 256;

/** How far down a misplaced interpreter line is looked for: below a licence banner. */
const BANNER_BYTES = 8 * 1024;

const NATIVE_MAGICS = ['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', '4d5a'];

/** Options of node that load other code first or change how modules resolve. */
const LOADER_OPTION =
  /\s(?:-r|--require|--import|--loader|--experimental-loader|--conditions|-C|--eval|-e)\b/;

/**
 * Reads how a command's file starts, as the kernel would.
 *
 * Source: execve(2), interpreter scripts: the two bytes `#!` come first, and all that follows the
 * interpreter is passed as one argument.
 */
export function readStart(bytes: Buffer): Start {
  if (NATIVE_MAGICS.some((magic) => bytes.toString('hex', 0, 4).startsWith(magic))) {
    return { kind: 'native', code: 'BIN_NATIVE', line: 'a native program', plainNode: false };
  }
  if (bytes[0] !== 0x23 || bytes[1] !== 0x21) return readMissing(bytes);
  const end = bytes.subarray(0, LINE_BYTES).indexOf(0x0a);
  const raw = bytes.toString('utf8', 0, end < 0 ? LINE_BYTES : end);
  const line = raw.replace(/\r$/, '');
  const words = line.slice(2).trim().split(/\s+/);
  const program = words[0] ?? '';
  const isEnv = /(?:^|\/)env$/.test(program);
  const command = isEnv ? (words.slice(1).find((word) => !isEnvOption(word)) ?? '') : program;
  const isNode = /(?:^|\/)node(?:js)?$/.test(command);
  return {
    kind: isNode ? 'node' : 'other-interpreter',
    code: raw.endsWith('\r') ? 'BIN_SHEBANG_CRLF' : toLineCode({ words, isEnv, isNode }),
    line,
    plainNode: isNode && !LOADER_OPTION.test(line),
  };
}

interface ParsedLine {
  readonly words: readonly string[];
  readonly isEnv: boolean;
  readonly isNode: boolean;
}

function toLineCode({ words, isEnv, isNode }: ParsedLine): FindingCode | null {
  if (isEnv && words.length > 2 && !/^-[a-z]*S|^--split-string/.test(words[1] ?? '')) {
    return 'BIN_SHEBANG_ARGUMENTS';
  }
  if (!isNode) return 'BIN_SHEBANG_OTHER';
  return isEnv ? null : 'BIN_SHEBANG_PATH';
}

/** Words that env itself takes: options and assignments. */
function isEnvOption(word: string): boolean {
  return word.startsWith('-') || /^[A-Za-z_][A-Za-z0-9_]*=/.test(word);
}

function readMissing(bytes: Buffer): Start {
  const top = bytes.toString('latin1', 0, BANNER_BYTES);
  const none = { kind: 'none', plainNode: false } as const;
  if (/^\u00ef\u00bb\u00bf#!/.test(top))
    return { ...none, code: 'BIN_SHEBANG_BOM', line: 'a byte order mark' };
  const late = /^[ \t]*#!.*(?:node|\/env|\/sh|\/bash).*$/m.exec(top);
  if (late !== null) return { ...none, code: 'BIN_SHEBANG_LATE', line: late[0] };
  return { ...none, code: 'BIN_SHEBANG_MISSING', line: firstLine(bytes) };
}

function firstLine(bytes: Buffer): string {
  return bytes.toString('utf8', 0, LINE_BYTES).split('\n', 1)[0] ?? '';
}
