/**
 * What known faults leave on stderr. RE2 syntax.
 *
 * Each pattern is anchored to text that Node, libuv, a shell or `env` prints by itself, so that a program
 * which merely talks about such errors (a linter's help, a package manager) does not match by accident; the
 * checks demand a failing exit besides.
 */

/** Node's own last line after an uncaught exception or rejection (Node 17 and later). */
export const UNCAUGHT = '(?m)^Node\\.js v[0-9]+\\.[0-9]+\\.[0-9]+';

/** The loader could not find, read or link a module. */
export const LOADER = [
  'ERR_MODULE_NOT_FOUND',
  "code: 'MODULE_NOT_FOUND'",
  "Cannot find module '[^'\\n]+'\\nRequire stack:",
  "Cannot find (module|package) '[^'\\n]+' imported from",
  'ERR_REQUIRE_ESM',
  'ERR_REQUIRE_ASYNC_MODULE',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_INVALID_PACKAGE_(TARGET|CONFIG)',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_UNKNOWN_(FILE_EXTENSION|MODULE_FORMAT|BUILTIN_MODULE)',
  'ERR_IMPORT_(ASSERTION|ATTRIBUTE)_[A-Z_]+',
  'ERR_DLOPEN_FAILED',
  'ReferenceError: (require|module|exports|__dirname|__filename) is not defined',
].join('|');

/** A file that Node could not compile: the frames are those of its loader, never of running code. */
export const SYNTAX =
  'SyntaxError:[^\\n]*\\n(    at [^\\n]*\\n)*    at [^\\n]*(wrapSafe|compileSourceTextModule|internalCompileFunction|moduleStrategy|ModuleJob[A-Za-z]*\\._?instantiate|ModuleJobSync)';

/** The missing module is a file of the user, not of the package: a program that loads a configuration. */
export const LOADS_USER_FILE = "Cannot find (module|package) '(file://)?/(work|home/node|tmp)/";

/** The program never got to run: no usable interpreter line, so `env` or a shell complains. */
export const NOT_A_PROGRAM =
  '(?m)^((/usr)?/bin/)?env: [^\\n]*(No such file|Permission denied|Exec format)|^(/opt/candidate/[^:\\n]*|[^:\\n]*sh: [^:\\n]*): (line )?[0-9]+: ';

/** Refused to write, and the path is in the installation. */
export const WRITES_OWN_FILES = '(EROFS|EACCES|EPERM)[^\\n]*[ \'"]/opt/candidate/';

/** Name lookup or connection failed. */
export const NEEDS_NETWORK =
  '\\b(EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT)\\b|TypeError: fetch failed';

/** libuv found no passwd entry for the user id. */
export const NEEDS_PASSWD = 'uv_os_get_passwd';

/** Something was asked of a terminal that a pipe cannot do. */
export const NEEDS_TERMINAL =
  '(setRawMode|cursorTo|clearLine|getWindowSize|moveCursor) is not a function|ERR_TTY_INIT_FAILED|(?i:(is not|isn.t|not) a (tty|terminal)|requires? (a|an) (interactive )?(tty|terminal)|raw mode is not supported)';

/** The part of it that no program prints on purpose. */
export const TERMINAL_CRASH =
  '(setRawMode|cursorTo|clearLine|getWindowSize|moveCursor) is not a function|ERR_TTY_INIT_FAILED|Raw mode is not supported';

/** A write met a closed pipe and nothing handled it. */
export const BROKEN_PIPE = '\\bEPIPE\\b';

/** Reads like a help text. */
export const HELP_TEXT = '(?i)\\b(usage|options|commands|arguments|flags)\\b|(^|\\s)--?help\\b';

/** A semantic version somewhere in a text. */
export const SEMVER_TOKEN = '(^|[^0-9.])[0-9]+\\.[0-9]+\\.[0-9]+';

/** Nothing but one semantic version, with or without a `v`. */
export const ONLY_SEMVER = '^\\s*v?[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?\\s*$';

/** An error message at the start of a line. */
export const ERROR_TEXT = '(?im)^\\s*(error|fatal|err!)\\b';

/** Escapes a literal for use inside a pattern. */
export function quotePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
