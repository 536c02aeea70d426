import type { GuardForm } from './guard-form.ts';
import type { InstructionReport, RootReport, ServerReport, SourceProblem, SourceReport } from './model.ts';
import type { Declaration } from './server-entry.ts';

const STATES: Readonly<Record<SourceReport['state'], string>> = {
  missing: 'no file is there',
  unreadable: 'something is there or may be there, but it could not be read',
  malformed: 'the file was read, but does not say what this source should',
  'symlink-skipped': 'the file or a folder above it is a symbolic link, and links are not followed',
  'not-file': 'what is there is not a regular file',
  'too-large': 'there is more than is taken',
  present: 'the file was read and interpreted as far as this inventory goes',
};

const PROBLEMS: Readonly<Record<SourceProblem, string>> = {
  'invalid-utf8': 'its bytes are not valid UTF-8',
  'byte-order-mark': 'it starts with a byte order mark, which this format does not allow',
  syntax: 'it breaks the syntax of its format',
  'duplicate-key': 'an object has the same key twice, and readers differ on which one they take',
  'too-deep': 'it nests deeper than 64 levels',
  'not-an-object': 'its outermost value is not an object',
  'container-not-object': 'the place for the servers holds something that is not an object',
  'mixed-containers': 'it has the containers of two formats, and which one was meant cannot be told',
  'foreign-container': 'it has the container of another client’s format instead of its own',
  'ambiguous-project-key': 'the directory is recorded under two spellings; the records are not merged',
  'changed-while-read': 'it changed while it was read',
  'too-many-values': 'the file has more values than any real one',
  'too-many-servers': 'more than 10 000 servers are declared, and none of them is listed',
  'entry-malformed': 'at least one declaration has the wrong shape; all are listed by name',
  'home-unknown': 'the home directory that it would lie in is not known',
};

const DECLARATIONS: Readonly<Record<Declaration, string>> = {
  stdio: 'names a command',
  remote: 'names a URL',
  mixed: 'names both a command and a URL',
  unknown: 'names neither a command nor a URL in a field that is known',
  malformed: 'is no object, or a known field has the wrong kind',
};

const GUARDS: Readonly<Record<GuardForm, string>> = {
  none: 'its command line carries no mark of a guard',
  launcher: 'its command line has the form of the guard’s launcher; what would run is unknown',
  'node-script': 'its command line has the form of the guard’s script; whose script it is, is unknown',
  malformed: 'its command line carries the mark of a guard but not its form',
  unknown: 'whether its command line has the form of a guard cannot be told',
};

const ROOTS: Readonly<Record<RootReport['state'], string>> = {
  present: 'the directory is there; its canonical path is the one that was looked up',
  missing: 'nothing is there, so that nothing was looked up',
  'not-directory': 'what is there is not a directory, so that nothing was looked up',
  unreadable: 'the path could not be followed, or is no UTF-8, so that nothing was looked up',
};

/** Adds in words what became of the selected directory. */
export function explainRoot(root: RootReport): RootReport {
  return { ...root, explanation: ROOTS[root.state] };
}

/** Adds in words why the source has its state. */
export function explainSource(source: SourceReport): SourceReport {
  const reason = reasonOf(source);
  const empty = source.containerState === 'absent' ? '; it has no place for servers of this origin' : '';
  return { ...source, explanation: `${STATES[source.state]}${reason}${empty}` };
}

function reasonOf({ state, problem }: SourceReport): string {
  if (problem !== null) return `: ${PROBLEMS[problem]}`;
  return state === 'too-large' ? ': the file is larger than 1 MiB and was not read' : '';
}

/** Adds in words what the declaration looks like and what its name has in common with others. */
export function explainServer(server: ServerReport): ServerReport {
  const parts = [`the declaration ${DECLARATIONS[server.declaration]}`, GUARDS[server.guardForm]];
  if (server.possibleShadowedBy !== null && server.possibleShadowedBy.length > 0) {
    parts.push('a higher scope declares the same name; which one loads is unknown');
  } else if (server.sameNameIn.length > 0) {
    parts.push('another source declares the same name; which one loads is unknown');
  }
  return { ...server, explanation: parts.join('; ') };
}

/** Adds in words what was found; the text of the file is not looked at. */
export function explainInstruction(instruction: InstructionReport): InstructionReport {
  const explanation =
    instruction.state === 'present'
      ? 'a readable file is there; its text was not read and whether it applies is unknown'
      : STATES[instruction.state];
  return { ...instruction, explanation };
}
