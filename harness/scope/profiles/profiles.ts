import { ScopeError } from '../errors.ts';
import { CLAUDE_CODE } from './claude-code.ts';
import { CLAUDE_DESKTOP } from './claude-desktop.ts';
import { CODEX } from './codex.ts';
import { COPILOT_CLI } from './copilot-cli.ts';
import { CURSOR } from './cursor.ts';
import { GEMINI_CLI } from './gemini-cli.ts';
import { JUNIE } from './junie.ts';
import { OPENCODE } from './opencode.ts';
import type { ClientProfile } from './profile.ts';
import { VSCODE } from './vscode.ts';
import { WINDSURF } from './windsurf.ts';
import { ZED } from './zed.ts';

/** Every client, the default first. */
export const PROFILES: readonly ClientProfile[] = [
  CLAUDE_CODE,
  VSCODE,
  CODEX,
  CURSOR,
  GEMINI_CLI,
  WINDSURF,
  ZED,
  JUNIE,
  CLAUDE_DESKTOP,
  COPILOT_CLI,
  OPENCODE,
];

export const DEFAULT_CLIENT = CLAUDE_CODE.id;
export const EVERY_CLIENT = 'all';

/**
 * The profiles that a client name stands for.
 *
 * @throws {ScopeError} CLIENT_UNKNOWN, before anything is read
 */
export function profilesOf(client: string): readonly ClientProfile[] {
  if (client === EVERY_CLIENT) return PROFILES;
  const profile = PROFILES.find(({ id }) => id === client);
  if (profile !== undefined) return [profile];
  const known = [...PROFILES.map(({ id }) => id), EVERY_CLIENT].join(', ');
  throw new ScopeError('CLIENT_UNKNOWN', `unknown client; known are ${known}`, '--client');
}
