import type { InstructionReport, ScopeReport, ServerReport, SourceReport } from './model.ts';
import { toTerminalText } from './terminal-text.ts';

/**
 * The report for people: plain lines, every name and path escaped and cut.
 *
 * Absent instruction files are counted instead of listed unless the report explains itself.
 */
export function renderReport(report: ScopeReport): string {
  const lines = [
    `client      ${report.client}`,
    `root        ${toTerminalText(report.root.canonicalPath ?? report.root.path)}`,
  ];
  if (report.root.state !== 'present') lines.push(`root state  ${report.root.state}`);
  lines.push(...explanationLines(report.root.explanation));
  lines.push(`inventory   ${report.inventoryComplete ? 'complete' : 'INCOMPLETE'}`);
  lines.push('', 'sources', ...report.sources.flatMap(sourceLines));
  lines.push('', 'servers (declared, not necessarily loaded)', ...serverSection(report.servers));
  lines.push('', 'instruction files (metadata only; applicability unknown)');
  lines.push(...instructionSection(report.instructions));
  lines.push(
    '',
    'unknown     host version, selected profile, forwarding, effective selection, loading, enforcement',
  );
  lines.push('not covered', ...report.coverage.limits.map(({ client, limit }) => `  ${client}: ${limit}`));
  lines.push('', 'a snapshot, not an atomic view', '');
  return lines.join('\n');
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

function serverSection(servers: readonly ServerReport[]): readonly string[] {
  return servers.length === 0 ? ['  none declared'] : servers.flatMap(serverLines);
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
