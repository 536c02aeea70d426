import type { Severity } from '../compiled.ts';

/** What a check of the generated suite says of itself, whatever bin or entry point it is made for. */
export interface CatalogueEntry {
  readonly severity: Severity;
  /** One line: what is stated and whom its failure hurts. */
  readonly why: string;
  /** The precondition in words; null when the check is always exercised. */
  readonly when: string | null;
  /** What the author can do. */
  readonly advice: string;
  /** Why it has this severity and not another. */
  readonly reason: string;
}

/** A group of checks that share a box, in the order in which the document lists them. */
export interface CatalogueTopic {
  readonly title: string;
  readonly runs: string;
  readonly appliesTo: string;
  readonly checks: Readonly<Record<string, CatalogueEntry>>;
}

const CLI_CLASSES = 'cli, reads-stdin, needs-terminal, unclear';

/**
 * Every check that the generated suite can hold. The suite, the document `docs/smoke-checks.md` and the tests
 * are all made from this; a check that is not here cannot be generated.
 *
 * The rule for `gate`: it fails for every user of the published package in some everyday use, and the evidence
 * cannot be explained by a program that merely has other habits. What depends on a habit is `warn`; what only
 * informs is `info`.
 */
export const CATALOGUE = {
  every: {
    title: 'Every case',
    runs: 'whatever the case runs',
    appliesTo: 'all',
    checks: {
      memory: {
        severity: 'gate',
        why: 'no process is killed for memory, whatever exit code follows',
        when: null,
        advice: 'find the growth; a parent that exits 0 after its child was killed hides it',
        reason: 'asking a program for its help or version never takes 2 GiB',
      },
      output: {
        severity: 'gate',
        why: 'an answer (help, version, an MCP session) is below a megabyte, and so is stderr of anything',
        when: null,
        advice: 'find the endless output',
        reason: 'the help of the largest programs known is a tenth of that, and patterns look no further',
      },
      leftovers: {
        severity: 'gate',
        why: 'no process is left when the program has ended',
        when: 'every step of the case ended by itself',
        advice:
          'wait for children, forward signals to them, and do not detach helpers from a command that answers',
        reason: 'a process nobody waits for holds pipes, ports and CI jobs open on every machine',
      },
    },
  },
  package: {
    title: 'Installed package',
    runs: "node reads the installed package.json; none of the candidate's code",
    appliesTo: 'every package',
    checks: {
      'package.identity': {
        severity: 'gate',
        why: 'the installed package.json has the name and version of the archive that was audited',
        when: null,
        advice: 'look for a second package.json or a second root folder in the archive',
        reason:
          'if the installed bytes are not those that were audited, nothing else here speaks of the archive',
      },
    },
  },
  classify: {
    title: 'Classification',
    runs: '`BIN --help` with stdin closed; `BIN` with one MCP `initialize` line, then end of file, SIGTERM, SIGKILL',
    appliesTo: 'every bin',
    checks: {
      'bin.starts': {
        severity: 'gate',
        why: 'the installed link starts as a program',
        when: null,
        advice:
          'begin the file with `#!/usr/bin/env node` and a line feed, nothing before it, no further argument',
        reason: 'without a usable first line the command fails in every shell on Linux and macOS',
      },
      'bin.loads': {
        severity: 'gate',
        why: 'every module that the program loads at its start is there and loads',
        when: null,
        advice:
          'compare `npm pack --dry-run` with what the program imports: missing file, undeclared dependency, wrong letter case, CommonJS against ESM',
        reason: "the loader's own error on a path of the package is the same for everyone who installs it",
      },
      'bin.no-crash-signal': {
        severity: 'gate',
        why: 'the program is not ended by a crash signal',
        when: null,
        advice: 'look at native add-ons and at `process.abort`',
        reason: 'no program ends by SIGSEGV or SIGABRT on purpose when asked for help or given nothing',
      },
      'bin.kind': {
        severity: 'info',
        why: 'records what kind of program the bin turned out to be',
        when: null,
        advice: 'if the kind is wrong for your program, write a suite of your own for it',
        reason: 'a fact about the program, not a fault; later cases are chosen by it',
      },
      'mcp.recognised': {
        severity: 'warn',
        why: 'a package that calls itself an MCP server answers `initialize` in a plain start',
        when: 'name, keywords or dependencies speak of MCP, and the bin keeps running or was also tried with a directory',
        advice:
          'answer `initialize` before heavy work; if the server needs arguments or configuration, write a suite that gives them',
        reason: 'a server may rightly need arguments that a generated suite cannot know',
      },
    },
  },
  arguments: {
    title: 'Arguments',
    runs: '`BIN --help`, `BIN --version`, `BIN`, `BIN --packproof-no-such-flag`, stdin closed, from a directory whose own package.json has another version',
    appliesTo: CLI_CLASSES,
    checks: {
      'answers.load': {
        severity: 'gate',
        why: 'no module is missing when help, version or nothing at all is asked for',
        when: null,
        advice:
          'the missing module is loaded lazily: check the files of the archive and the declared dependencies',
        reason: 'same evidence as `bin.loads`, on the other paths through the program',
      },
      'answers.api': {
        severity: 'gate',
        why: 'the program does not die in every use because this Node lacks something it calls',
        when: null,
        advice: 'raise `engines.node` or avoid the API; test on the lowest version that `engines` allows',
        reason:
          'help, version and a bare start all dying of "is not a function" or "is not defined" leaves no use that works',
      },
      'answers.no-crash': {
        severity: 'warn',
        why: 'at least one of help, version and a bare start ends without an uncaught exception',
        when: null,
        advice: 'catch errors at the top, print one line and exit with a code other than 0',
        reason:
          'a crude program that only takes a file name dies on all three and still works when used as meant',
      },
      'answers.something': {
        severity: 'gate',
        why: 'the program does not say nothing and succeed, whatever it is asked',
        when: 'the bin is a cli: it ends by itself without reading stdin',
        advice:
          'compare real paths in the entry guard: `realpathSync(process.argv[1])`, since the link is not the file',
        reason:
          'silent success on help, version and a bare start means that the main function was never called',
      },
      'help.ends': {
        severity: 'gate',
        why: '`--help` ends within five seconds, with nothing to wait for',
        when: 'it is no flood',
        advice: 'close timers, sockets and stdin, or set `process.exitCode` and let the event loop run dry',
        reason: 'there is no input, no terminal and no network to wait for; not ending hangs every script',
      },
      'help.not-empty': {
        severity: 'warn',
        why: 'a successful `--help` says something',
        when: '`--help` exited with 0',
        advice: 'print a usage text to stdout on `--help`',
        reason: 'a program need not have a help text',
      },
      'help.exit-zero': {
        severity: 'warn',
        why: 'help that was asked for is a success',
        when: '`--help` printed a help text and exited',
        advice:
          'exit with 0 when help was asked for, with another code when it is shown because of a mistake',
        reason: 'a habit of some programs; scripts that test the exit code meet it',
      },
      'version.ends': {
        severity: 'gate',
        why: '`--version` ends within five seconds, with nothing to wait for',
        when: 'it is no flood',
        advice: 'close timers, sockets and stdin, or set `process.exitCode` and let the event loop run dry',
        reason: 'there is no input, no terminal and no network to wait for; not ending hangs every script',
      },
      'version.available': {
        severity: 'warn',
        why: '`--version` prints a version and succeeds',
        when: null,
        advice: 'print the version of your package.json on `--version`',
        reason: 'a program need not have the flag, but bug reports need the version',
      },
      'version.matches': {
        severity: 'gate',
        why: '`--version` prints the version of this package',
        when: '`--version` exited with 0 and printed nothing but one version number',
        advice: "read the version from the program's own package.json at build or run time, never a copy",
        reason: 'a bare version number that is not the package’s own is wrong for every user',
      },
      'version.mentioned': {
        severity: 'warn',
        why: 'what `--version` prints holds the version of this package',
        when: '`--version` exited with 0 and printed a version number among other text',
        advice: 'name the package’s own version first, then those of what it wraps',
        reason: 'the number may rightly be that of a wrapped tool',
      },
      'version.not-from-cwd': {
        severity: 'gate',
        why: '`--version` does not print the version of whatever project the user stands in',
        when: null,
        advice: 'resolve package.json from `import.meta.url` or `__dirname`, not from the current directory',
        reason: 'the number printed was put there by us and can only come from the wrong file',
      },
      'unknown-flag.refused': {
        severity: 'info',
        why: 'a flag that does not exist is refused',
        when: 'the program ended',
        advice: 'exit with a code other than 0 on unknown flags, so that typing mistakes are noticed',
        reason: 'many programs ignore unknown flags on purpose',
      },
      'unknown-flag.error-is-failure': {
        severity: 'warn',
        why: 'a program that prints an error also fails',
        when: 'stderr has a line that begins with "error" and the program exited',
        advice: 'set `process.exitCode` where the error is caught',
        reason: 'the text may be about something else; a swallowed failure is common enough to show',
      },
      'unknown-flag.no-crash': {
        severity: 'warn',
        why: 'a flag that does not exist is no reason for an uncaught exception',
        when: null,
        advice: 'catch the parser’s error and print one line',
        reason: 'ugly, but the program did refuse',
      },
      'own-files.untouched': {
        severity: 'gate',
        why: 'the program does not fail because its installation is read-only',
        when: null,
        advice: 'write caches and state below the user’s cache or state directory, not beside the code',
        reason: 'packages installed by root, in images and in stores are read-only for whoever runs them',
      },
      'offline.answers': {
        severity: 'gate',
        why: 'help and version work without a network',
        when: null,
        advice: 'do not look for updates before answering, and never fail when the network does',
        reason: 'no network is needed to print a text that is in the package',
      },
      'offline.bare': {
        severity: 'warn',
        why: 'a bare start does not fail for want of a network',
        when: null,
        advice: 'say which host could not be reached and what to do without it',
        reason: 'a bare start may rightly do network work',
      },
      'user.without-passwd': {
        severity: 'gate',
        why: 'help and version work for a user id that has no passwd entry',
        when: null,
        advice: 'wrap `os.userInfo()` in try/catch, also in dependencies, and fall back to the environment',
        reason:
          'containers run under arbitrary ids; a program that dies before its help cannot be used there at all',
      },
      'terminal.not-needed': {
        severity: 'gate',
        why: 'help and version work without a terminal',
        when: null,
        advice: 'test `process.stdin.isTTY` before `setRawMode` and the like',
        reason: 'CI, pipes and editors have no terminal, and neither answer needs one',
      },
      'exit.lag': {
        severity: 'warn',
        why: 'help and version end within two seconds of their last output',
        when: 'both ended by themselves',
        advice: 'do not wait for telemetry, update checks or keep-alive sockets after answering',
        reason: 'slow, not wrong; machines differ',
      },
      'cwd.clean': {
        severity: 'warn',
        why: 'asking for help, version or nothing leaves no file in the current directory',
        when: null,
        advice: 'write only where the user asked for it',
        reason: 'some programs write a log or a default configuration on a bare start by design',
      },
    },
  },
  'server-arguments': {
    title: 'Arguments of servers',
    runs: '`BIN --help`, `BIN --version` by the local and the global link, stdin closed, five seconds each',
    appliesTo: 'server, mcp-server',
    checks: {
      'answers.load': {
        severity: 'gate',
        why: 'no module is missing when help or version is asked for',
        when: null,
        advice:
          'the missing module is loaded lazily: check the files of the archive and the declared dependencies',
        reason: 'same evidence as `bin.loads`, on the other paths through the program',
      },
      'help.ends': {
        severity: 'gate',
        why: 'help is printed and the program then ends',
        when: 'it printed a help text that begins with "usage" or lists options',
        advice: 'leave after printing help instead of going on to serve',
        reason: 'the question was understood and answered; staying alive after it hangs every script',
      },
      'version.ends': {
        severity: 'gate',
        why: 'the version is printed and the program then ends',
        when: 'it printed nothing but a version',
        advice: 'leave after printing the version instead of going on to serve',
        reason: 'the question was understood and answered; staying alive after it hangs every script',
      },
      'version.available': {
        severity: 'info',
        why: '`--version` prints a version and succeeds',
        when: null,
        advice: 'print the version of your package.json on `--version`',
        reason: 'few servers have the flag',
      },
      'version.matches': {
        severity: 'gate',
        why: '`--version` prints the version of this package',
        when: '`--version` printed nothing but one version number',
        advice: "read the version from the program's own package.json at build or run time, never a copy",
        reason: 'a bare version number that is not the package’s own is wrong for every user',
      },
      'own-files.untouched': {
        severity: 'gate',
        why: 'the program does not fail because its installation is read-only',
        when: null,
        advice: 'write caches and state below the user’s cache or state directory, not beside the code',
        reason: 'packages installed by root, in images and in stores are read-only for whoever runs them',
      },
      'user.without-passwd': {
        severity: 'gate',
        why: 'the program does not fail for a user id that has no passwd entry',
        when: null,
        advice: 'wrap `os.userInfo()` in try/catch, also in dependencies, and fall back to the environment',
        reason: 'containers run under arbitrary ids',
      },
      'global.works': {
        severity: 'gate',
        why: 'the globally installed command works where the local one does',
        when: 'the local one does not die at its start',
        advice: 'look for paths that assume a node_modules folder around the package',
        reason:
          'both installs are made from the same bytes; a command that works in one only fails for half its users',
      },
    },
  },
  installed: {
    title: 'Two installs',
    runs: '`--version` and `--help` by the link of a dependency and by the link of a global install',
    appliesTo: CLI_CLASSES,
    checks: {
      'global.works': {
        severity: 'gate',
        why: 'the globally installed command works where the local one does',
        when: 'the local `--version` or `--help` exited with 0',
        advice: 'look for paths that assume a node_modules folder around the package',
        reason:
          'both installs are made from the same bytes; a command that works in one only fails for half its users',
      },
      'global.same-version': {
        severity: 'warn',
        why: 'both installs print the same version',
        when: 'both `--version` exited with 0',
        advice: 'resolve package.json from the program’s own file',
        reason: 'the output may rightly name the path it was started by',
      },
    },
  },
  'stdin-help': {
    title: 'Standard input and help',
    runs: '`--help` and a bare start with stdin closed; `--help` with an idle stdin, and with 5 MB that may never be read',
    appliesTo: CLI_CLASSES,
    checks: {
      'stdin.help-idle': {
        severity: 'gate',
        why: '`--help` does not wait for standard input',
        when: 'with stdin closed it printed a help text that a bare start does not print',
        advice: 'read stdin only when the arguments ask for it',
        reason:
          'the same question with an open stdin, as every CI step and parent process has it, never ends',
      },
      'stdin.help-large': {
        severity: 'gate',
        why: '`--help` ends although 5 MB of input are offered and never read',
        when: 'with stdin closed it printed a help text that a bare start does not print',
        advice: 'do not wait for stdin’s end before exiting',
        reason: 'the answer needs no input; a parent that writes some must not hang the program',
      },
    },
  },
  'stdin-version': {
    title: 'Standard input and version',
    runs: '`--version` with stdin closed and with an idle stdin',
    appliesTo: CLI_CLASSES,
    checks: {
      'stdin.version-idle': {
        severity: 'gate',
        why: '`--version` does not wait for standard input',
        when: 'with stdin closed it printed nothing but the version',
        advice: 'read stdin only when the arguments ask for it',
        reason:
          'the same question with an open stdin, as every CI step and parent process has it, never ends',
      },
    },
  },
  'unread-input': {
    title: 'Input that nobody reads',
    runs: 'a bare start with stdin closed, and one with 5 MB of input',
    appliesTo: 'cli',
    checks: {
      'stdin.bare-large': {
        severity: 'warn',
        why: 'a program that reads nothing ends when 5 MB of input are offered',
        when: 'a bare start with stdin closed ended',
        advice: 'read the input to its end, or ignore it',
        reason: 'the input is nothing that the program expects',
      },
    },
  },
  stdout: {
    title: 'Standard output',
    runs: '`--help` to a pipe, to a file, and to a reader that closes after the first bytes',
    appliesTo: CLI_CLASSES,
    checks: {
      'stdout.complete': {
        severity: 'gate',
        why: 'a pipe gets all that a file gets',
        when: 'both runs ended, and the pipe got at least 64 KiB, the size of a pipe',
        advice: 'set `process.exitCode` instead of calling `process.exit()` after large writes',
        reason: 'output cut at the size of a pipe with exit 0 corrupts whatever reads it',
      },
      'stdout.same': {
        severity: 'warn',
        why: 'pipe and file get the same bytes',
        when: 'both runs ended',
        advice: 'make help text independent of time and randomness',
        reason: 'output may rightly differ from run to run',
      },
      'stdout.closed-ends': {
        severity: 'warn',
        why: 'the program ends when its reader goes away',
        when: null,
        advice: 'treat EPIPE on stdout as a quiet end',
        reason: 'a loop that writes on forever is a fault, but help rarely loops',
      },
      'stdout.closed-quietly': {
        severity: 'warn',
        why: 'a reader that goes away is no reason for a stack trace',
        when: null,
        advice: 'treat EPIPE on stdout as a quiet end',
        reason: 'the default of Node; it hurts users of `| head` with long outputs only',
      },
      'stdout.no-escapes': {
        severity: 'warn',
        why: 'text in a pipe has no terminal escapes',
        when: null,
        advice: 'colour only when `process.stdout.isTTY`',
        reason: 'readable by people all the same',
      },
    },
  },
  environment: {
    title: 'Environment',
    runs: '`--help` after a warming run: plain, NO_COLOR, another time zone, another locale',
    appliesTo: CLI_CLASSES,
    checks: {
      'colour.none': {
        severity: 'warn',
        why: 'NO_COLOR is respected',
        when: null,
        advice: 'write no escapes when NO_COLOR is set and not empty',
        reason: 'a convention, not a rule',
      },
      'zone.same': {
        severity: 'warn',
        why: 'help does not depend on the time zone',
        when: 'both runs exited with 0',
        advice: 'format dates with an explicit zone, or leave them out of help',
        reason: 'output may rightly hold local time',
      },
      'locale.same': {
        severity: 'info',
        why: 'help does not depend on the locale',
        when: 'both runs exited with 0',
        advice: 'nothing, if the program is translated on purpose',
        reason: 'translated programs differ on purpose',
      },
    },
  },
  home: {
    title: 'Home directory',
    runs: '`--help`: plain, HOME missing, HOME not writable, HOME unset',
    appliesTo: CLI_CLASSES,
    checks: {
      'home.missing': {
        severity: 'warn',
        why: 'the program works when HOME names nothing',
        when: 'the plain run exited with 0',
        advice: 'create configuration lazily and go on without it when that fails',
        reason: 'service accounts and containers have it so; people at a desk do not',
      },
      'home.read-only': {
        severity: 'warn',
        why: 'the program works when HOME cannot be written',
        when: 'the plain run exited with 0',
        advice: 'create configuration lazily and go on without it when that fails',
        reason: 'service accounts and containers have it so; people at a desk do not',
      },
      'home.unset': {
        severity: 'warn',
        why: 'the program works when HOME is not set',
        when: 'the plain run exited with 0',
        advice: 'use `os.homedir()` in try/catch and go on without it when that fails',
        reason: 'service accounts and containers have it so; people at a desk do not',
      },
    },
  },
  signals: {
    title: 'Signals',
    runs: '`BIN` with an idle stdin, SIGTERM after two seconds',
    appliesTo: 'reads-stdin, server, mcp-server',
    checks: {
      'signal.ends': {
        severity: 'gate',
        why: 'SIGTERM ends the program within nine seconds',
        when: 'it was still running when the signal was sent',
        advice: 'a handler for SIGTERM must end in `process.exit`, also when something it waits for hangs',
        reason:
          'supervisors and containers kill after about ten seconds; what was not written by then is lost',
      },
      'signal.prompt': {
        severity: 'warn',
        why: 'SIGTERM ends the program within two seconds',
        when: 'it was still running when the signal was sent',
        advice: 'close what is idle at once and bound the wait for what is not',
        reason: 'a server may rightly finish what it is doing',
      },
      'signal.leftovers': {
        severity: 'warn',
        why: 'no process is left when SIGTERM has ended the program',
        when: 'it was still running when the signal was sent',
        advice: 'a wrapper must hand SIGTERM on to its child and wait for it',
        reason:
          'a supervisor that closes the input too, or signals the whole group, still ends what is left; others leak it',
      },
    },
  },
  mcp: {
    title: 'MCP server',
    runs: '`initialize`, `notifications/initialized`, `tools/list`, end of file',
    appliesTo: 'mcp-server',
    checks: {
      'mcp.initialize': {
        severity: 'gate',
        why: '`initialize` is answered with version, capabilities and server name, or with the versions it supports',
        when: null,
        advice: 'answer with protocolVersion, capabilities and serverInfo {name, version}',
        reason: 'no client can go on without it',
      },
      'mcp.version': {
        severity: 'gate',
        why: 'the answered protocol version is one that exists',
        when: '`initialize` was answered with a result',
        advice: 'echo the version asked for, or answer your newest',
        reason: 'clients must refuse a version they do not know',
      },
      'mcp.tools': {
        severity: 'gate',
        why: '`tools/list` is answered with a list where the capability is declared',
        when: 'the answer to `initialize` declares `tools`',
        advice: 'answer `tools/list`, with an empty list if there is none',
        reason: 'a declared capability that is not served shows an empty server to every client',
      },
      'mcp.ids': {
        severity: 'gate',
        why: 'every response answers a request, and none is answered twice',
        when: null,
        advice: 'copy the id of the request, also when it is 0 or a string',
        reason: 'JSON-RPC has no other way to tell answers apart',
      },
      'mcp.messages': {
        severity: 'gate',
        why: 'JSON on stdout is JSON-RPC',
        when: null,
        advice: 'send logs to stderr',
        reason: 'a JSON log line is fed to the client as a message',
      },
      'mcp.utf8': {
        severity: 'gate',
        why: 'stdout is UTF-8 without a byte order mark',
        when: null,
        advice: 'write strings, and buffers only when they hold UTF-8',
        reason: 'the transport is defined so, and a client that decodes strictly drops the connection',
      },
      'mcp.only-json': {
        severity: 'warn',
        why: 'stdout holds nothing but JSON lines',
        when: null,
        advice: 'send banners and logs to stderr',
        reason: 'common clients skip such lines, so published servers with a banner do work',
      },
      'mcp.end-of-file': {
        severity: 'warn',
        why: 'the server ends within two seconds of the end of its stdin',
        when: null,
        advice: 'end when stdin ends; clear timers and pending requests',
        reason: 'clients follow with SIGTERM',
      },
      'mcp.terminates': {
        severity: 'gate',
        why: 'the server ends without SIGKILL',
        when: null,
        advice: 'a handler for SIGTERM must end in `process.exit`',
        reason: 'five seconds after SIGTERM every client kills, and what was not written by then is lost',
      },
    },
  },
  'mcp-discover': {
    title: 'MCP server asked by a newer client',
    runs: '`server/discover`, then `initialize`, end of file',
    appliesTo: 'mcp-server',
    checks: {
      'mcp.discover-first': {
        severity: 'warn',
        why: 'a request that it does not know, before `initialize`, does not end the server',
        when: null,
        advice: 'answer unknown methods with -32601 at any time',
        reason: 'only newer clients ask this way; the specification’s older revisions are silent on it',
      },
    },
  },
  exports: {
    title: 'Entry points',
    runs: "`import()` and `require()` of each entry point, one process each, by the package's name from the project it is installed in",
    appliesTo: 'packages with `exports`, `main` or an index.js',
    checks: {
      'import.loads': {
        severity: 'gate',
        why: 'the entry point and what it imports are there and load',
        when: null,
        advice:
          'compare `exports` with the files of the archive; check letter case, dependencies and the module format',
        reason: "the loader's own error on a path of the package is the same for everyone who installs it",
      },
      'import.runs': {
        severity: 'warn',
        why: 'importing the entry point succeeds',
        when: null,
        advice: 'do nothing at import that needs a browser, a terminal, arguments or a network',
        reason: 'an entry point may rightly be for another environment',
      },
      'require.loads': {
        severity: 'gate',
        why: 'the entry point and what it requires are there and load',
        when: null,
        advice:
          'compare `exports` with the files of the archive; check letter case, dependencies and the module format',
        reason: "the loader's own error on a path of the package is the same for everyone who installs it",
      },
      'require.runs': {
        severity: 'warn',
        why: 'requiring the entry point succeeds',
        when: null,
        advice: 'do nothing at load that needs a browser, a terminal, arguments or a network',
        reason: 'an entry point may rightly be for another environment',
      },
      'export.listed': {
        severity: 'info',
        why: 'names entry points that were not tried, because they hold types, data or nothing for Node',
        when: 'never exercised',
        advice: 'nothing; write a case for it if it matters',
        reason: 'stated so that nobody takes it for tried',
      },
    },
  },
} as const satisfies Readonly<Record<string, CatalogueTopic>>;

export type Topic = keyof typeof CATALOGUE;
export type CheckOf<T extends Topic> = keyof (typeof CATALOGUE)[T]['checks'] & string;
