import { Command, CommanderError, Option } from 'commander';
import type { CiFlags } from './ci/init-ci.ts';
import { UsageError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import type { CheckFlags } from './flags.ts';
import type { MergeFlags } from './merge.ts';
import { ownVersion } from './own-version.ts';
import type { ReplayFlags } from './replay.ts';
import type { ScopeFlags } from './scope.ts';
import { openSession, type SessionFlags } from './session.ts';
import type { ShellFlags } from './shell.ts';
import type { TamperFlags } from './tamper.ts';
import type { VerifyFlags } from './verify.ts';

const EXAMPLES = `
Examples:
  packproof check candidate.tgz              the main job, with the generated smoke suite
  packproof check npm:semver@7.8.6 --node 20,22
  packproof verify .packproof/evidence/…     read evidence back
  packproof doctor                           what this machine can enforce

Exit codes: 0 passed, 1 the candidate failed, 2 usage, 3 infrastructure, 4 evidence rejected,
124 budget exhausted, 129/130/143 interrupted.`;

/**
 * Parses one command line and runs its command; gives the exit code.
 *
 * @throws {Fault} of the command; {UsageError} for a wrong command line.
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.passed;
  const done = (code: number): void => {
    exitCode = code;
  };
  const program = buildProgram(done);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.passed;
    throw toUsageError(error);
  }
  return exitCode;
}

type Done = (exitCode: number) => void;

function buildProgram(done: Done): Command {
  const program = new Command('packproof')
    .description(
      'Proves what a packed npm CLI or MCP server does, inside a measured boundary, before it is published.',
    )
    .version(ownVersion())
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .showSuggestionAfterError(true)
    .addHelpText('after', EXAMPLES);
  addCheck(program, done);
  addPrepare(program, done);
  addRun(program, done);
  addVerify(program, done);
  addKeygen(program, done);
  addSign(program, done);
  addReplay(program, done);
  addShell(program, done);
  addTamper(program, done);
  addMerge(program, done);
  addAudit(program, done);
  addInit(program, done);
  addDoctor(program, done);
  addClean(program, done);
  addScope(program, done);
  addSchema(program, done);
  return program;
}

function toUsageError(error: CommanderError): UsageError {
  const where = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  switch (error.code) {
    case 'commander.unknownOption':
      return new UsageError('FLAG_UNKNOWN', 'command line', { where });
    case 'commander.unknownCommand':
    case 'commander.help':
      return new UsageError('COMMAND_UNKNOWN', 'command line', {
        where: where === '(outputHelp)' ? 'no command given; see packproof --help' : where,
      });
    case 'commander.missingArgument':
      return new UsageError('ARGUMENT_MISSING', 'command line', { where });
    case 'commander.excessArguments':
      return new UsageError('ARGUMENT_EXTRA', 'command line', { where });
    case 'commander.missingMandatoryOptionValue':
      return new UsageError('FLAG_MISSING', 'command line', { where });
    default:
      return new UsageError('FLAG_VALUE', 'command line', { where });
  }
}

function command(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--json', 'one JSON document on stdout')
    .option('--quiet', 'no progress on stderr')
    .option('--no-color', 'no colours');
}

function addPrepareFlags(target: Command): Command {
  return target
    .option('--with <file...>', 'unpublished sibling archives that satisfy dependencies')
    .option(
      '--suite <path...>',
      'run these suites alone: YAML, or a compiled suite.json (default: the generated one, and beside it the ' +
        'packproof.suite.yaml of the current folder)',
    )
    .option(
      '--node <list>',
      'Node versions, by commas: majors, exact versions, or floor, the lowest that engines.node allows (default: ' +
        'the newest known that engines.node allows)',
    )
    .addOption(new Option('--platform <platform>', 'platform').choices(['linux/amd64', 'linux/arm64']))
    .option('--base <base>', 'debian (default), rootfs:FILE (tar, tar.gz) or image:REF@sha256:DIGEST')
    .option(
      '--lock <file>',
      'lock file, made when absent (default: a packproof.lock.json that is beside the suite)',
    )
    .option('--frozen', 'refuse anything that the lock does not pin')
    .option('--archives <dir>', 'take every archive from this folder, or hashed from the cache; no network')
    .option('--debian-mirror <url>', 'mirror for the base packages (default: the one apt uses)')
    .option('--refresh', 'resolve dependencies anew instead of from the cache')
    .option('--with-scripts', 'run install scripts, inside the box')
    .option(
      '--waive <file>',
      'findings to live with until a day: JSON, see packproof schema waivers; recorded',
    );
}

function addRunFlags(target: Command): Command {
  return target
    .addOption(new Option('--engine <name>', 'engine').choices(['auto', 'docker', 'runc']).default('auto'))
    .option('--jobs <n>', 'boxes at a time')
    .option('--budget <duration>', 'budget of the whole run', '180s')
    .option('--case-timeout <duration>', 'limit of one case', '20s')
    .option('--only <glob...>', 'run only these cases, by id or as tag:GLOB, and what they need')
    .option('--shard <i/n>', 'run one part of the cases')
    .option(
      '--durations <path>',
      'balance the shards by what cases took: earlier evidence, or a durations.json',
    )
    .option('--repeat <n>', 'attempts of each case; differing ones are flaky')
    .option('--shuffle <seed>', 'begin the cases in another order, the same for the same seed')
    .option('--nonce <text>', 'a text that the evidence must carry')
    .option('--embed-archives', 'put every archive into the evidence')
    .option('--sign <key>', 'sign the evidence once the verifier accepted it')
    .option(
      '--update',
      'show exact expectations that failed, and write those that are accepted into the suite',
    )
    .option('--yes', 'with --update: accept all of them');
}

function addCheck(program: Command, done: Done): void {
  const target = command(program, 'check <candidate>', 'prepare, run, export and verify: the main job');
  addRunFlags(addPrepareFlags(target))
    .option('--out <dir>', 'evidence folder (default: .packproof/evidence/…)')
    .action(async (candidate: string, flags: CheckFlags & SessionFlags) => {
      const { checkCommand } = await import('./check.ts');
      done(await checkCommand(candidate, flags, openSession(flags)));
    });
}

function addPrepare(program: Command, done: Done): void {
  const target = command(
    program,
    'prepare <candidate>',
    'audit, pin and hash every archive into a context folder',
  );
  addPrepareFlags(target)
    .addOption(new Option('--engine <name>', 'engine').choices(['auto', 'docker', 'runc']).default('auto'))
    .requiredOption('--out <dir>', 'context folder')
    .action(async (candidate: string, flags: CheckFlags & SessionFlags) => {
      const { prepareCommand } = await import('./prepare.ts');
      done(await prepareCommand(candidate, flags, openSession(flags)));
    });
}

function addRun(program: Command, done: Done): void {
  addRunFlags(command(program, 'run <context>', 'run the suites of a context and export evidence'))
    .option('--suite <path...>', 'with --update: where the suites of the context were written')
    .requiredOption('--out <dir>', 'evidence folder')
    .action(async (context: string, flags: CheckFlags & SessionFlags) => {
      const { runCommand } = await import('./run.ts');
      done(await runCommand(context, flags, openSession(flags)));
    });
}

function addVerify(program: Command, done: Done): void {
  command(program, 'verify <evidence>', 'read evidence back with the separate verifier')
    .option('--candidate <file|sha512>', 'the archive that the evidence must be about')
    .option('--suite <sha256...>', 'compiled suites that must be among its suites')
    .option('--nonce <text>', 'the text that the evidence must carry')
    .option('--key <file>', 'public key, ed25519 as SPKI PEM, that must have signed it')
    .option('--finished-after <time>', 'RFC 3339 time after which the run must have ended')
    .option('--archives <dir>', 'archives under any names, to build the layers of the images from again')
    .option('--replay <file>', 'the document of a replay, for --require replayed-by=KEY')
    .option('--require <list...>', 'what must hold besides; packproof-verify --help lists the words')
    .action(async (evidence: string, flags: VerifyFlags & SessionFlags) => {
      const { verifyCommand } = await import('./verify.ts');
      done(await verifyCommand(evidence, flags));
    });
}

function addKeygen(program: Command, done: Done): void {
  command(program, 'keygen', 'make an ed25519 key that signs evidence')
    .option('--out <file>', 'private key; the public one gets .pub after its name', 'packproof.key')
    .action(async (flags: { out: string } & SessionFlags) => {
      const { keygenCommand } = await import('./keygen.ts');
      done(await keygenCommand(flags, openSession(flags)));
    });
}

function addSign(program: Command, done: Done): void {
  command(program, 'sign <evidence>', 'sign evidence that the verifier accepts')
    .requiredOption('--key <file>', 'private key, ed25519 as PKCS8 PEM')
    .option('--replace', 'put the signature in the place of an earlier one, which is not verified')
    .action(async (evidence: string, flags: { key: string; replace?: boolean } & SessionFlags) => {
      const { signCommand } = await import('./sign.ts');
      done(await signCommand(evidence, flags, openSession(flags)));
    });
}

function addReplay(program: Command, done: Done): void {
  command(program, 'replay <evidence>', 'rebuild the image of evidence, run its suites again, and compare')
    .addOption(new Option('--engine <name>', 'engine').choices(['auto', 'docker', 'runc']).default('auto'))
    .option('--archives <dir>', 'take archives from this folder too; nothing is ever fetched')
    .option('--allow-exec', 'let cases execute what they wrote, when the suite asks for it')
    .option('--with-scripts', 'run install scripts, inside the box, when the recorded run did')
    .option('--out <dir>', 'keep the evidence of the replay here')
    .option('--document <file>', 'keep what the replay showed here, as a statement about the evidence')
    .option('--sign <key>', 'sign that statement with this ed25519 key')
    .action(async (evidence: string, flags: ReplayFlags & SessionFlags) => {
      const { replayCommand } = await import('./replay.ts');
      done(await replayCommand(evidence, flags, openSession(flags)));
    });
}

const SHELL_NOTES = `
Without ARGV a shell, /bin/sh -i, in a box without a terminal: line by line, no job control. Ctrl-D ends it,
Ctrl-C removes the box. Nothing that is done in the box is kept.

Exit codes: 0 the process ended with 0, 1 with anything else, 2 no such case, attempt or program, or no terminal,
3 infrastructure, 4 evidence rejected, 124 the end of --budget, 129/130/143 interrupted.`;

function addShell(program: Command, done: Done): void {
  program
    .command('shell <evidence> <case> [argv...]')
    .description('open the box of a case of evidence, rebuilt and with its files, and use it')
    .addOption(new Option('--engine <name>', 'engine').choices(['auto', 'docker', 'runc']).default('auto'))
    .option('--attempt <n>', 'which attempt is meant; all begin alike')
    .option('--node <version>', 'on which Node version of the run (default: its first)')
    .option('--archives <dir>', 'take archives from this folder too; nothing is ever fetched')
    .option('--allow-exec', 'let the box execute what was written in it, when the case asks for it')
    .option('--with-scripts', 'run install scripts, inside a box, when the recorded run did')
    .option('--budget <duration>', 'how long the box may last', '1h')
    .option('--quiet', 'no progress on stderr')
    .option('--no-color', 'no colours')
    .addHelpText('after', SHELL_NOTES)
    .action(
      async (evidence: string, caseId: string, argv: readonly string[], flags: ShellFlags & SessionFlags) => {
        const { shellCommand } = await import('./shell.ts');
        done(await shellCommand({ evidence, caseId, argv }, flags, openSession(flags)));
      },
    );
}

const TAMPER_NOTES = `
About a minute on evidence of up to 100 cases, minutes beyond, much longer with --all. packproof check does a short form
of it on every bundle that it makes, in seconds.`;

function addTamper(program: Command, done: Done): void {
  command(program, 'tamper <evidence>', 'change evidence in every known way and see what the verifier takes')
    .option('--key <file>', 'public key, ed25519 as SPKI PEM, that signed it')
    .option('--level <list>', 'a: bytes, b: with all digests recomputed, c: signatures (default: a,b,c)')
    .option('--only <kind...>', 'only these kinds')
    .option('--seed <text>', 'decides which of many like changes are tried', '1')
    .option('--all', 'every value of every document, not some of each field')
    .addHelpText('after', TAMPER_NOTES)
    .action(async (evidence: string, flags: TamperFlags & SessionFlags) => {
      const { tamperCommand } = await import('./tamper.ts');
      done(await tamperCommand(evidence, flags, openSession(flags)));
    });
}

function addMerge(program: Command, done: Done): void {
  command(program, 'merge <shard...>', 'merge the evidence of all shards of one run into one bundle')
    .requiredOption('--out <dir>', 'evidence folder')
    .option('--key <file>', 'public key that must have signed every shard')
    .action(async (shards: readonly string[], flags: MergeFlags & SessionFlags) => {
      const { mergeCommand } = await import('./merge.ts');
      done(await mergeCommand(shards, flags, openSession(flags)));
    });
}

function addAudit(program: Command, done: Done): void {
  command(program, 'audit <candidate>', 'static findings on the raw bytes of a candidate')
    .option('--waive <file>', 'findings to live with until a day: JSON, see packproof schema waivers')
    .action(async (candidate: string, flags: { waive?: string } & SessionFlags) => {
      const { auditCommand } = await import('./audit.ts');
      done(await auditCommand(candidate, flags, openSession(flags)));
    });
}

function addInit(program: Command, done: Done): void {
  command(
    program,
    'init [candidate]',
    'write a first suite, from an archive, ./package.json or evidence; runs nothing of it',
  )
    .option('--from <evidence>', 'evidence of a check: write what the programs answered in it')
    .option(
      '--out <file>',
      'suite file (default: packproof.suite.yaml); with --ci, its file (default: stdout)',
    )
    .addOption(
      new Option('--ci <system>', 'what runs a suite on several machines').choices(['github', 'kubernetes']),
    )
    .option('--shards <n>', 'with --ci: how many machines (default: 4)')
    .action(async (candidate: string | undefined, flags: InitFlags) => {
      const session = openSession(flags);
      if (flags.ci === undefined) {
        requireNoShards(flags);
        const { initCommand } = await import('./init.ts');
        done(await initCommand(candidate, flags, session));
        return;
      }
      const extra = candidate ?? flags.from;
      if (extra !== undefined) {
        throw new UsageError('ARGUMENT_EXTRA', 'command line', {
          where: extra,
          expected: 'no candidate and no evidence with --ci',
          actual: 'one',
        });
      }
      const { initCiCommand } = await import('./ci/init-ci.ts');
      done(await initCiCommand({ ...flags, ci: flags.ci }, session));
    });
}

type InitFlags = Partial<CiFlags> & { readonly from?: string } & SessionFlags;

function requireNoShards({ shards }: InitFlags): void {
  if (shards === undefined) return;
  throw new UsageError('FLAG_MISSING', 'flag', {
    where: '--shards',
    expected: '--ci SYSTEM',
    actual: 'none',
  });
}

function addDoctor(program: Command, done: Done): void {
  command(program, 'doctor', 'what is there, what can be enforced, and the one command that mends it').action(
    async (flags: SessionFlags) => {
      const { doctorCommand } = await import('./doctor.ts');
      done(await doctorCommand(openSession(flags)));
    },
  );
}

function addClean(program: Command, done: Done): void {
  command(program, 'clean', 'remove what a crash left behind')
    .option('--cache', 'also the cached archives and layers')
    .action(async (flags: { cache?: boolean } & SessionFlags) => {
      const { cleanCommand } = await import('./clean.ts');
      done(await cleanCommand(flags.cache === true, openSession(flags)));
    });
}

const SCOPE_NOTES = `
Clients: claude-code (default), vscode, codex, cursor, gemini-cli, windsurf, zed, junie, claude-desktop,
copilot-cli, opencode, or all.

Reads the fixed places where the client keeps MCP servers, and nothing else. Starts no client, command or
server, writes nothing, and never shows commands, arguments, URLs, values or texts of instructions.
The result is a snapshot, not an atomic view, and says nothing about what a client really loads.

Exit codes: 0 every fixed candidate was inventoried (present or absent), 1 incomplete or no such directory,
2 usage.`;

function addScope(program: Command, done: Done): void {
  command(program, 'scope <root>', 'inventory of the MCP configuration that concerns one directory')
    .option('--client <name>', 'whose configuration (default: claude-code)')
    .option('--explain', 'say in words why each row has its state')
    .addHelpText('after', SCOPE_NOTES)
    .action(async (root: string, flags: ScopeFlags) => {
      const { scopeCommand } = await import('./scope.ts');
      done(await scopeCommand(root, flags));
    });
}

function addSchema(program: Command, done: Done): void {
  program
    .command('schema [name]')
    .description('print the JSON Schema of a document, or without a name what there is')
    .action(async (name: string | undefined) => {
      const { schemaCommand } = await import('./schema.ts');
      done(await schemaCommand(name));
    });
}
