import type { CompiledSuite } from '../../../suite/compiled.ts';
import { CLAUDE_CASES } from './claude-cases.ts';
import { CLIENT_CASES } from './client-cases.ts';
import { jsoncReferenceCase } from './jsonc-case.ts';
import { compileScopeCase } from './scope-case.ts';
import { STATE_CASES } from './state-cases.ts';
import { VSCODE_CASES } from './vscode-cases.ts';

/** The suite of `packproof scope` on packproof's own archive; written to cases/scope/suite.json. */
export function buildScopeSuite(): CompiledSuite {
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
    exclusions: [],
    expectedUnsupported: [],
    cases: [
      ...[...CLAUDE_CASES, ...STATE_CASES, ...VSCODE_CASES, ...CLIENT_CASES].map(compileScopeCase),
      jsoncReferenceCase(),
    ],
  };
}
