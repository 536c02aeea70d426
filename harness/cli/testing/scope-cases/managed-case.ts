import type { CompiledCase } from '../../../suite/compiled.ts';
import { compileScopeCase } from './compile-case.ts';
import { CANARIES, PROJECT } from './scope-case.ts';
import { COMPLETE, instruction, json, LOCAL, server, shadowed, source } from './words.ts';

const SERVERS = json({ mcpServers: { m: LOCAL } });

/** What a base needs to have for the case of managed files: they lie in system folders, where no case can lay any. */
export const MANAGED_FILES: Readonly<Record<string, string>> = {
  '/etc/claude-code/managed-mcp.json': SERVERS,
  '/etc/claude-code/CLAUDE.md': CANARIES.instruction,
  '/etc/codex/config.toml': `[mcp_servers.m]\ncommand = "x"\nargs = ["${CANARIES.arg}"]\n`,
  '/etc/gemini-cli/settings.json': SERVERS,
  '/etc/gemini-cli/system-defaults.json': SERVERS,
  '/etc/opencode/opencode.json': json({
    mcp: { servers: { m: { command: ['x', CANARIES.arg], environment: { A: CANARIES.env } } } },
  }),
};

export const MANAGED_ID = 'managed-files';

/** The managed files of every client that has some, beside a project's. */
export function managedCase(): CompiledCase {
  return compileScopeCase({
    id: MANAGED_ID,
    why: 'the managed files of every client are read, and those of Claude Code have no place in its order',
    files: { [`${PROJECT}/.mcp.json`]: SERVERS, [`${PROJECT}/.gemini/settings.json`]: SERVERS },
    argv: [PROJECT, '--client', 'all'],
    exit: 0,
    json: [
      COMPLETE,
      server('m', 'claude-code:managed', 'stdio'),
      shadowed('m', 'claude-code:managed', []),
      shadowed('m', 'claude-code:project', []),
      instruction('/etc/claude-code/CLAUDE.md', 'present'),
      server('m', 'codex:system', 'stdio'),
      shadowed('m', 'gemini-cli:system', []),
      shadowed('m', 'gemini-cli:system-defaults', ['gemini-cli:system', 'gemini-cli:project']),
      server('m', 'opencode:managed', 'stdio'),
      source('opencode:managed-jsonc', 'missing'),
    ],
  });
}
