import type { ScopeReport } from './model.ts';
import { toJsonText } from './terminal-text.ts';

/**
 * The report as one JSON document of one line, in pieces: a whole one of many servers is a text of many megabytes,
 * which would be in memory several times before the first byte is out.
 */
export function* jsonPieces(report: ScopeReport): Generator<string> {
  let before = '{';
  for (const [field, value] of Object.entries(report)) {
    yield `${before}"${field}":`;
    if (Array.isArray(value)) yield* listPieces(value);
    else yield toJsonText(value);
    before = ',';
  }
  yield '}\n';
}

function* listPieces(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, item] of items.entries()) yield `${index === 0 ? '' : ','}${toJsonText(item)}`;
  yield ']';
}
