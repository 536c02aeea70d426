import { CATALOGUE, isFindingCode } from '../audit/catalogue/catalogue.ts';
import { paint, toLogText } from './output.ts';

/** What the catalogue says to do about a finding; empty for a code that only a later audit knows. */
export function adviceOfFinding(code: string): string {
  return isFindingCode(code) ? CATALOGUE[code].advice : '';
}

/** The line below a failure or a finding that says what to do; none where nothing is said. */
export function adviceLines(advice: string, color: boolean): readonly string[] {
  return advice === '' ? [] : [`       ${paint(`- ${toLogText(advice, 300)}`, 'dim', color)}`];
}
