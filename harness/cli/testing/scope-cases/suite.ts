import type { CompiledSuite, SuiteException } from '../../../suite/compiled.ts';
import { CLAUDE_CASES } from './claude-cases.ts';
import { CLIENT_CASES } from './client-cases.ts';
import { compileScopeCase } from './compile-case.ts';
import { COVERAGE_CASES } from './coverage-cases.ts';
import { GUARD_CASES } from './guard-cases.ts';
import { JSONC_ARCHIVE, jsoncReferenceCase } from './jsonc-case.ts';
import { MANAGED_ID, managedCase } from './managed-case.ts';
import {
  NATIVE_CLIENTS,
  type NativeClient,
  type Natives,
  nativeArchives,
  nativeCases,
} from './native-cases.ts';
import { OUTPUT_CASES } from './output-cases.ts';
import { OWNER_CASES } from './owner-cases.ts';
import { STATE_CASES } from './state-cases.ts';
import { VSCODE_CASES } from './vscode-cases.ts';

const WORLDS = [
  ...CLAUDE_CASES,
  ...GUARD_CASES,
  ...STATE_CASES,
  ...VSCODE_CASES,
  ...CLIENT_CASES,
  ...COVERAGE_CASES,
  ...OUTPUT_CASES,
  ...OWNER_CASES,
];

/** What somebody has who runs the suite. */
export interface BaseContent {
  readonly natives?: Natives;
  /** MANAGED_FILES, in the base. Other cases expect that they are not there. */
  readonly managedFiles?: boolean;
}

/**
 * The suite of `packproof scope` on packproof's own archive. The cases of clients themselves and of managed files
 * are excluded, but for those that somebody has.
 */
export function buildScopeSuite({ natives = {}, managedFiles = false }: BaseContent = {}): CompiledSuite {
  return {
    formatVersion: 1,
    id: 'packproof.scope',
    title: 'the inventory of client configuration',
    proves: [
      'On these files, with a configured program that works, the inventory started nothing, changed nothing and told no value.',
      'Each stated row, state and exit code was observed in both forms of the output.',
    ],
    doesNotProve: [
      'What any client selects, loads or enforces: no client was started; Claude Code and VS Code themselves are not part of this suite.',
      'Anything about macOS or Windows: their tables are tried outside of the boundary.',
      'That a path is skipped when a folder is replaced while it is read.',
    ],
    archives: [JSONC_ARCHIVE, ...nativeArchives(natives)],
    exclusions: [
      ...NATIVE_CLIENTS.filter((client) => natives[client] === undefined).map(excludeNative),
      ...(managedFiles ? [] : [NO_MANAGED_FILES]),
    ],
    expectedUnsupported: [],
    cases: [...WORLDS.map(compileScopeCase), jsoncReferenceCase(), ...nativeCases(natives), managedCase()],
  };
}

const NO_MANAGED_FILES: SuiteException = {
  cases: MANAGED_ID,
  reason: 'managed files lie in system folders, where no case can lay any, and the usual base has none',
  count: 1,
};

function excludeNative(client: NativeClient): SuiteException {
  const name = client === 'vscode' ? 'VS Code' : 'Claude Code';
  return {
    cases: `native-${client}`,
    reason: `${name} itself cannot be had on the machines on which this suite is made and tested`,
    count: 1,
  };
}
