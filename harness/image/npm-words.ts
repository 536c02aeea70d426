/** Characters; a blocked context keeps them, and a terminal shows the first of them. */
const WORDS_LIMIT = 2000;
/** How npm 7 and later begin a line of an error. */
const ERROR_LINE = /^npm (?:error|ERR!)[ \t]?(.*)$/u;
/** After a wrong usage npm prints the whole help of its command, which says nothing of the fault. */
const HELP_START = /^(?:Usage:|Clean install a project$)/u;
/** What npm says for every lock that does not fit; the lines after it say what does not fit. */
const PREAMBLE = /^`npm ci` can only install packages when /u;

/**
 * What npm names as the reason, in one line: the first lines of its error, without the help text that follows
 * and without where it wrote a log. Without such lines, the end of what it said.
 */
export function npmReason(output: { readonly stdout: string; readonly stderr: string }): string {
  const said: string[] = [];
  for (const line of output.stderr.split('\n')) {
    const words = ERROR_LINE.exec(line.trimEnd())?.[1]?.trim();
    if (words === undefined || words === '') continue;
    if (HELP_START.test(words)) break;
    if (!PREAMBLE.test(words) && !words.startsWith('A complete log of this run')) said.push(words);
  }
  if (said.length > 0) return said.join('; ').slice(0, WORDS_LIMIT);
  return (output.stderr.trim() || output.stdout.trim()).slice(-WORDS_LIMIT);
}
