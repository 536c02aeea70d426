import type { InstructionReport, ScopeReport, ServerReport, SourceReport } from './model.ts';
import { isInventoried } from './read/file-state.ts';
import { toTerminalText } from './terminal-text.ts';

/**
 * The report for people, in lines with their ends: every name and path escaped and cut.
 *
 * Absent instruction files are counted instead of listed unless the report explains itself.
 */
export function* textPieces(report: ScopeReport): Generator<string> {
  for (const line of reportLines(report)) yield `${line}\n`;
}

function* reportLines(report: ScopeReport): Generator<string> {
  yield `client      ${report.client}`;
  yield `root        ${toTerminalText(report.root.canonicalPath ?? report.root.path)}`;
  if (report.root.state !== 'present') yield `root state  ${report.root.state}`;
  yield* explanationLines(report.root.explanation);
  yield `inventory   ${completenessOf(report)}`;
  yield* ['', 'sources'];
  for (const source of report.sources) yield* sourceLines(source);
  yield* ['', 'servers (declared, not necessarily loaded)'];
  if (report.servers.length === 0) yield '  none declared';
  for (const server of report.servers) yield* serverLines(server);
  yield* ['', 'instruction files (metadata only; applicability unknown)'];
  yield* instructionSection(report.instructions);
  yield '';
  yield 'unknown     host version, selected profile, forwarding, effective selection, loading, enforcement';
  yield 'not covered';
  for (const { client, limit } of report.coverage.limits) yield `  ${client}: ${limit}`;
  yield* ['', 'a snapshot, not an atomic view'];
}

/** Says how much is left open, since the rows in question may stand far below. */
function completenessOf({ inventoryComplete, root, sources, instructions }: ScopeReport): string {
  if (inventoryComplete) return 'complete';
  const open = [openOf(sources, 'sources'), openOf(instructions, 'instruction files')].filter(
    (part) => part !== null,
  );
  if (open.length === 0) return 'INCOMPLETE';
  const hint = root.explanation === undefined ? '; --explain says why' : '';
  return `INCOMPLETE: ${open.join(' and ')} not inventoried${hint}`;
}

function openOf(rows: readonly (SourceReport | InstructionReport)[], noun: string): string | null {
  const count = rows.filter((row) => !isInventoried(row)).length;
  return count === 0 ? null : `${count} of ${rows.length} ${noun}`;
}

function sourceLines(source: SourceReport): readonly string[] {
  const count = source.containerState === 'present' ? `  ${source.serverCount} declared` : '';
  const problem = source.problem === null ? '' : `  (${source.problem})`;
  const path = source.path === null ? '(no path)' : toTerminalText(source.path);
  return [
    `  ${source.state.padEnd(15)} ${source.id}  ${path}  ${source.container}${count}${problem}`,
    ...explanationLines(source.explanation),
  ];
}

function serverLines(server: ServerReport): readonly string[] {
  const shadow =
    server.possibleShadowedBy === null || server.possibleShadowedBy.length === 0
      ? ''
      : `  possibly shadowed by ${server.possibleShadowedBy.join(', ')}`;
  const same =
    shadow === '' && server.sameNameIn.length > 0 ? `  same name in ${server.sameNameIn.join(', ')}` : '';
  return [
    `  "${toTerminalText(server.name)}"  ${server.source}  ${server.declaration}  guard form: ${server.guardForm}${shadow}${same}`,
    ...explanationLines(server.explanation),
  ];
}

function instructionSection(instructions: readonly InstructionReport[]): readonly string[] {
  const isListed = ({ state, explanation }: InstructionReport): boolean =>
    state !== 'missing' || explanation !== undefined;
  const listed = instructions
    .filter(isListed)
    .flatMap((instruction) => [
      `  ${instruction.state.padEnd(15)} ${instruction.client}:${instruction.scope}  ${instruction.path === null ? '(no path)' : toTerminalText(instruction.path)}`,
      ...explanationLines(instruction.explanation),
    ]);
  const missing = instructions.filter(({ state }) => state === 'missing').length;
  return [...listed, `  ${missing} of ${instructions.length} candidates are missing`];
}

function explanationLines(explanation: string | undefined): readonly string[] {
  return explanation === undefined ? [] : [`                  ${explanation}`];
}
