/** Statements of a bundle, in byte order of name; which of them must be there follows from the run. */
export const STATEMENTS = ['statement-boundary.json', 'statement-image.json', 'statement.json'] as const;

export type StatementName = (typeof STATEMENTS)[number];

/** `statement.json` → `statement.dsse.json`. */
export function envelopeOf(statement: string): string {
  return statement.replace(/\.json$/, '.dsse.json');
}
