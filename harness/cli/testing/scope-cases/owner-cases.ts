import { HOME, PROJECT, type ScopeCase } from './scope-case.ts';
import { COMPLETE, INCOMPLETE, json, LOCAL, NO_SERVERS, server, source } from './words.ts';

const OWN = `${PROJECT}/.mcp.json`;
const PROJECT_FILE = 'claude-code:project';
const HIDDEN = json({ mcpServers: { hidden: LOCAL } });
const SEEN = json({ mcpServers: { seen: LOCAL } });

/** Files of other users, as on a machine that several share, and names that no text has. */
export const OWNER_CASES: readonly ScopeCase[] = [
  {
    id: 'owner-denied',
    why: 'a file of root that nobody else may read is unreadable, and no mode of it is changed',
    files: { [OWN]: { mode: '0600', text: HIDDEN } },
    owners: { [OWN]: 'root' },
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source(PROJECT_FILE, 'unreadable', null)],
    noJson: ['hidden'],
  },
  {
    id: 'owner-readable',
    why: 'the same file of root, where it may be read, is read like any other',
    files: { [OWN]: { mode: '0644', text: SEEN } },
    owners: { [OWN]: 'root', [PROJECT]: 'other' },
    exit: 0,
    json: [COMPLETE, source(PROJECT_FILE, 'present'), server('seen', PROJECT_FILE, 'stdio')],
  },
  {
    id: 'owner-shut-folder',
    why: "a folder of somebody else's that is shut leaves its candidate unreadable",
    files: { [`${HOME}/.copilot`]: { folder: '0700' } },
    owners: { [`${HOME}/.copilot`]: 'other' },
    argv: [PROJECT, '--client', 'vscode'],
    exit: 1,
    json: [INCOMPLETE, source('vscode:copilot-user', 'unreadable')],
  },
  {
    id: 'names-beside',
    why: 'names that are no UTF-8, or look like a source, are no source',
    files: {
      [OWN]: SEEN,
      [`${OWN}%FF`]: HIDDEN,
      [`${PROJECT}/%FF.mcp.json`]: HIDDEN,
      [`${PROJECT}/%252emcp.json`]: HIDDEN,
      [`${PROJECT}/.mcp.json\n`]: HIDDEN,
      [`${PROJECT}/%FF/.mcp.json`]: HIDDEN,
    },
    exit: 0,
    json: [COMPLETE, source(PROJECT_FILE, 'present'), server('seen', PROJECT_FILE, 'stdio')],
    noJson: ['hidden'],
    noText: ['hidden'],
  },
];
