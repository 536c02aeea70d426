import type { CompiledCase } from '../../../suite/compiled.ts';
import { localLink } from '../../../suite/layout.ts';
import { check, of } from './checks.ts';
import { emptyCase, HOME, PROJECT, type ScopeCase } from './scope-case.ts';
import { BEFORE_STEP, step } from './steps.ts';
import { json, LOCAL, server, shadowed } from './words.ts';

export type NativeClient = 'claude-code' | 'vscode';

/** Where in the image the client's program is, for those who have it. */
export type Natives = Partial<Readonly<Record<NativeClient, string>>>;

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

/** The program that a case names when nobody has it; such a case is excluded. */
const NOWHERE = '/opt/reference/nowhere';

/**
 * The clients themselves beside the inventory. The client comes last, because it may start what is configured;
 * what it does is recorded and gates nothing.
 */
export function nativeCases(natives: Natives): readonly CompiledCase[] {
  return NATIVE_CLIENTS.map((client) => {
    const { world, argv, observed, inventory, rows } = REFERENCES[client];
    return {
      ...emptyCase(world),
      steps: [
        BEFORE_STEP,
        step('json', [localLink('packproof'), 'scope', PROJECT, ...inventory, '--json']),
        step('reference', [natives[client] ?? NOWHERE, ...argv], PROJECT),
      ],
      checks: [
        check('json-says', 'the document says what is there', {
          kind: 'all',
          of: rows.map((pattern) => ({ kind: 'stream-matches', of: of('json'), pattern }) as const),
        }),
        {
          ...check('reference', 'the client is seen to take the files as expected', {
            kind: 'stream-matches',
            of: of('reference'),
            pattern: observed,
          }),
          severity: 'info',
        },
      ],
    };
  });
}
