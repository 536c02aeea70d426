/** What a help text names, each once and in its order. */
export interface HelpNames {
  readonly options: readonly string[];
  readonly commands: readonly string[];
}

/** A help text is read by people: what comes after so many characters, or so many names, is for nobody's suite. */
const TEXT_LIMIT = 64 * 1024;
const NAMES_LIMIT = 40;
const LONG_OPTION = /--[A-Za-z0-9][A-Za-z0-9-]*/g;
const SHORT_OPTION = /^-[A-Za-z0-9](?![A-Za-z0-9-])/;
const COMMANDS_HEADING = /^\s*(?:[a-z]+ )?(?:sub)?commands:?\s*$/i;
const COMMAND = /^[a-z][a-z0-9:_-]*/;

/**
 * Options and commands of a help text as most libraries print it: an option begins its line and stands before two
 * spaces or a tab; commands stand indented below a heading that ends in "commands". What is laid out otherwise is
 * not found, and nothing is made up.
 */
export function readHelpNames(text: string, bin: string): HelpNames {
  const lines = text.slice(0, TEXT_LIMIT).split(/\r?\n/);
  const options = lines.flatMap((line) => optionsOf(line.trim().split(/ {2,}|\t/)[0] ?? ''));
  return { options: bounded(options), commands: bounded(commandsOf(lines).filter((name) => name !== bin)) };
}

function optionsOf(head: string): readonly string[] {
  if (!head.startsWith('-')) return [];
  const long = head.match(LONG_OPTION) ?? [];
  return long.length > 0 ? long : (SHORT_OPTION.exec(head) ?? []).slice(0, 1);
}

function commandsOf(lines: readonly string[]): readonly string[] {
  const found: string[] = [];
  let indent: number | null = null;
  let below = false;
  for (const line of lines) {
    const width = line.length - line.trimStart().length;
    if (COMMANDS_HEADING.test(line)) {
      below = true;
      indent = null;
      continue;
    }
    if (line.trim() === '') continue;
    below &&= width > 0;
    indent ??= below ? width : null;
    if (below && width === indent) found.push(...(COMMAND.exec(line.trimStart()) ?? []));
  }
  return found;
}

function bounded(names: readonly string[]): readonly string[] {
  return [...new Set(names)].slice(0, NAMES_LIMIT);
}
