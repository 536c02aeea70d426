import type { CompiledArchive } from '../../../suite/archive.ts';
import type { CompiledCase } from '../../../suite/compiled.ts';
import { ARCHIVES_DIRECTORY, localLink } from '../../../suite/layout.ts';
import { check, informs, of, undoOf } from './checks.ts';
import { emptyCase, HOME, PROJECT, type ScopeCase } from './scope-case.ts';
import { BEFORE_STEP, step } from './steps.ts';
import { json, LOCAL, server, shadowed } from './words.ts';

export type NativeClient = 'claude-code' | 'vscode';

/** The pinned archive of a client, for those who have it. */
export interface NativeArchive extends Omit<CompiledArchive, 'name'> {
  /** Where the program lies in the archive; empty: the archive is the program. */
  readonly program: string;
}

export type Natives = Partial<Readonly<Record<NativeClient, NativeArchive>>>;

interface NativeReference {
  readonly world: Pick<ScopeCase, 'id' | 'why' | 'files'>;
  readonly argv: readonly string[];
  /** What the client is seen to do; recorded, and gates nothing. */
  readonly observed: string;
  readonly inventory: readonly string[];
  readonly rows: readonly string[];
}

const REFERENCES: Readonly<Record<NativeClient, NativeReference>> = {
  'claude-code': {
    world: {
      id: 'native-claude-code',
      why: 'of three declarations of one name Claude Code itself tells which one it takes',
      files: {
        [`${HOME}/.claude.json`]: json({
          mcpServers: { s: LOCAL },
          projects: { [PROJECT]: { mcpServers: { s: LOCAL } } },
        }),
        [`${PROJECT}/.mcp.json`]: json({ mcpServers: { s: LOCAL } }),
      },
    },
    argv: ['mcp', 'get', 's'],
    observed: '(?i)scope:\\s*local',
    inventory: [],
    rows: [shadowed('s', 'claude-code:user', ['claude-code:local', 'claude-code:project'])],
  },
  vscode: {
    world: {
      id: 'native-vscode',
      why: 'VS Code itself starts beside the files that the inventory reads',
      files: { [`${PROJECT}/.vscode/mcp.json`]: `// comment\n${json({ servers: { a: LOCAL } })}` },
    },
    argv: ['--version'],
    observed: '^\\d+\\.\\d+\\.\\d+\\n',
    inventory: ['--client', 'vscode'],
    rows: [server('a', 'vscode:vscode-project', 'stdio')],
  },
};

export const NATIVE_CLIENTS: readonly NativeClient[] = ['claude-code', 'vscode'];

/** The archive of a client that nobody has: no bytes have this digest, and its case is excluded. */
const NOT_HAD: NativeArchive = {
  sha256: '0'.repeat(64),
  sizeBytes: 1,
  unpack: 'none',
  strip: 0,
  source: { kind: 'given' },
  program: '',
};

export function nativeArchives(natives: Natives): readonly CompiledArchive[] {
  return NATIVE_CLIENTS.map((client) => {
    const { program: _program, ...archive } = natives[client] ?? NOT_HAD;
    return { name: client, ...archive };
  });
}

/**
 * The clients themselves beside the inventory, which comes after the undo of what they did; that is recorded and
 * gates nothing.
 */
export function nativeCases(natives: Natives): readonly CompiledCase[] {
  return NATIVE_CLIENTS.map((client) => {
    const { world, argv, observed, inventory, rows } = REFERENCES[client];
    const { program } = natives[client] ?? NOT_HAD;
    const path = [ARCHIVES_DIRECTORY, client, ...(program === '' ? [] : [program])].join('/');
    return {
      ...emptyCase(world),
      references: [{ step: 'reference', archive: client, files: [] }],
      steps: [
        step('reference', [path, ...argv], PROJECT),
        BEFORE_STEP,
        step('json', [localLink('packproof'), 'scope', PROJECT, ...inventory, '--json']),
      ],
      checks: [
        check('json-says', 'the document says what is there', {
          kind: 'all',
          of: rows.map((pattern) => ({ kind: 'stream-matches', of: of('json'), pattern }) as const),
        }),
        undoOf('reference'),
        informs(
          check('reference', 'the client is seen to take the files as expected', {
            kind: 'stream-matches',
            of: of('reference'),
            pattern: observed,
          }),
        ),
      ],
    };
  });
}
