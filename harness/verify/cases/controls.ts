import type { Findings } from '../finding.ts';
import type { ControlLine } from '../shape/receipt.ts';
import type { SuiteCase } from '../shape/suite.ts';
import { checkEntry, comparePaths, describe, isEntry, listLaid } from './files.ts';
import type { StoredAttempt } from './stored-attempt.ts';

/** The program stands after what was laid for it. */
const LOOKS = ['laid', 'program', 'ran', 'undone'] as const;

/**
 * Holds the looks around the controls and references of an attempt to their order, and what each was given to the
 * suite: the files of the case with those of the step in their place, by digest. That each was undone is a
 * check of the case, which is evaluated like any other.
 */
export function checkControls(
  declared: SuiteCase,
  stored: StoredAttempt,
  { seesSockets, findings }: { readonly seesSockets: boolean; readonly findings: Findings },
): void {
  const { attempt, base, controlLines, lookLines } = stored;
  const path = `${base}controls.ndjson`;
  checkOrder(declared, controlLines, path, findings);
  for (const [index, line] of controlLines.entries()) {
    if (line.when !== 'program') checkEntry(line, `${path}:${index + 1}`, findings);
  }
  for (const { action, detail } of attempt.teardown) {
    const [, step, when, told] = (action === 'snapshot' ? LOOK.exec(detail) : null) ?? [];
    if (step === undefined) continue;
    const { length } = lookLines.filter((line) => line.step === step && line.when === when);
    findings.same('TEARDOWN_COUNT', `${path} ${step} ${when}`, length, Number(told));
  }
  if (attempt.filesTruncated.length === 0) checkGiven(declared, stored, { seesSockets, findings });
}

const LOOK = /^([a-z0-9-]+) (laid|ran|undone): ([0-9]{1,9}) entries$/;

/** What a control was given is what the suite declares for it, byte for byte. */
function checkGiven(
  declared: SuiteCase,
  { base, seen }: StoredAttempt,
  place: { readonly seesSockets: boolean; readonly findings: Findings },
): void {
  for (const control of [...declared.controls, ...declared.references]) {
    const given = seen.controls.get(control.step)?.laid ?? null;
    if (given === null) continue;
    const laid = declared.files.filter(isEntry);
    const files = new Map([...laid, ...control.files].map((file) => [file.path, file]));
    // What a control lays is of the user of the box, whosever the file in its place was.
    const owners = declared.files.filter(
      ({ kind, path: of }) => kind === 'owner' && !control.files.some(({ path: own }) => own === of),
    );
    const expected = listLaid([...files.values(), ...owners], place.seesSockets);
    const actual = given.map(describe);
    for (let index = 0; index < Math.max(expected.length, actual.length); index += 1) {
      const [due, found] = [expected[index] ?? 'nothing', actual[index] ?? 'nothing'];
      if (due === found) continue;
      place.findings.add('FILES_BEFORE', `${base}controls.ndjson ${control.step} laid`, due, found);
      break;
    }
  }
}

/**
 * Controls and references in their order, the looks of each in theirs, the entries of each in byte order of path, the
 * files of a command in that of its words.
 */
function checkOrder(
  { controls, references }: SuiteCase,
  lines: readonly ControlLine[],
  path: string,
  findings: Findings,
): void {
  const rank = ({ step, when }: ControlLine): number =>
    [...controls, ...references].findIndex((one) => one.step === step) * LOOKS.length + LOOKS.indexOf(when);
  for (let index = 0; index < lines.length; index += 1) {
    const [one, other] = [lines[index - 1], lines[index]];
    if (other === undefined) continue;
    const isFirst = one === undefined || rank(one) < rank(other);
    const follows = isFirst || (rank(one) === rank(other) && isBefore(one, other));
    if (rank(other) < 0 || !follows) {
      const what = other.when === 'program' ? `argv[${other.word}]` : other.path;
      const actual = `${other.step} ${other.when} ${what}`;
      findings.add('FILES_ORDER', `${path}:${index + 1}`, 'the looks in their order', actual);
      return;
    }
  }
}

function isBefore(one: ControlLine, other: ControlLine): boolean {
  if (one.when === 'program') return other.when === 'program' && one.word < other.word;
  return other.when !== 'program' && comparePaths(one, other) < 0;
}
