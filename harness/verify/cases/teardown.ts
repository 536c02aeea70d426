import type { Findings } from '../finding.ts';
import type { Attempt, StepRecord } from '../shape/receipt.ts';
import type { StreamName, SuiteCase } from '../shape/suite.ts';
import type { StoredAttempt } from './stored-attempt.ts';

type Event = Attempt['teardown'][number];

/**
 * Holds the end of an attempt to its order: for each step freeze, list, kill all, drain; then snapshot and
 * close. A box that could not be asked, or that the run had to end, was killed as a whole instead, once, and
 * nothing was asked of it after that.
 *
 * The order is what makes the record believable, so a missing event is a defect even where it changes nothing.
 */
export function checkTeardown(
  declared: SuiteCase,
  stored: StoredAttempt,
  at: string,
  findings: Findings,
): void {
  const { attempt, files } = stored;
  const path = `${at}.teardown`;
  const reading = new Reading(attempt.teardown);
  const controls = declared.controls.map(({ step }) => step);
  const references = declared.references.map(({ step }) => step);
  for (const { name } of attempt.steps) {
    const goesOn = references.includes(name)
      ? reading.reference(name)
      : reading.step(name, controls.includes(name));
    if (!goesOn) break;
  }
  reading.end();
  if (reading.fault !== null)
    findings.add('TEARDOWN_ORDER', path, reading.fault.expected, reading.fault.actual);
  checkTimes(attempt.teardown, path, findings);
  const filesAfter = files.filter(({ when }) => when === 'after').length;
  checkCounts(attempt, { filesAfter, references }, path, findings);
  for (const [index, step] of attempt.steps.entries()) {
    const stdout = declared.steps[index]?.stdout;
    const toFile = typeof stdout === 'object' && 'file' in stdout;
    const closed =
      stored.seen.steps.get(step.name)?.actions.some(({ kind }) => kind === 'output-closed') === true;
    checkDrain(step, { attempt, unawaited: toFile || closed ? ['stdout'] : [], path, findings });
  }
}

/** Reads the events one after another and keeps the first that is not where it must be. */
class Reading {
  readonly #events: readonly Event[];
  #next = 0;
  #killed = false;
  fault: { readonly expected: string; readonly actual: string } | null = null;

  constructor(events: readonly Event[]) {
    this.#events = events;
  }

  /** The end of one step; false when there is no going on. */
  step(name: string, isControl: boolean): boolean {
    if (!isControl) return this.#plain(name);
    const laid = this.#take('lay', name) && this.#look(`${name} laid`);
    if (!laid || !this.#plain(name)) return false;
    if (this.#killed) return true;
    return this.#look(`${name} ran`) && this.#take('undo', name) && this.#look(`${name} undone`);
  }

  /** A reference is laid, run and undone; what it wrote in between is nobody's business. */
  reference(name: string): boolean {
    const laid = this.#take('lay', name) && this.#look(`${name} laid`);
    if (!laid || !this.#plain(name)) return false;
    return this.#killed || (this.#take('undo', name) && this.#look(`${name} undone`));
  }

  /** A look at the writable places; none can be taken of a box that had to be killed. */
  #look(of: string): boolean {
    if (this.#peek()?.action === 'kill-box') this.#killBox();
    return this.#killed || this.#take('snapshot', of);
  }

  #plain(name: string): boolean {
    if (this.#peek()?.action === 'kill-box') this.#killBox();
    else if (!this.#killed) {
      const frozen = this.#take('freeze', name);
      const listed = frozen && this.#take('list', name);
      if (!listed) return false;
      const answered = this.#peek()?.action !== 'kill-box';
      if (answered && !this.#take('kill-all', name)) return false;
      if (this.#peek()?.action === 'kill-box') this.#killBox();
    }
    return this.#take('drain', name);
  }

  end(): void {
    if (this.fault !== null) return;
    if (this.#peek()?.action === 'kill-box') this.#killBox();
    if (!this.#killed && !this.#take('snapshot', null)) return;
    if (!this.#take('close', null)) return;
    const rest = this.#peek();
    if (rest !== undefined) this.#fail('no further event', rest);
  }

  #peek(): Event | undefined {
    return this.#events[this.#next];
  }

  #killBox(): void {
    const event = this.#peek();
    if (this.#killed && event !== undefined) this.#fail('the box killed once', event);
    this.#killed = true;
    this.#next += 1;
  }

  #take(action: Event['action'], step: string | null): boolean {
    const event = this.#peek();
    const ofStep = step === null || event?.detail === step || event?.detail.startsWith(`${step}: `) === true;
    if (event?.action === action && ofStep) {
      this.#next += 1;
      return true;
    }
    this.#fail(step === null ? action : `${action} of ${step}`, event);
    return false;
  }

  #fail(expected: string, event: Event | undefined): void {
    const actual = event === undefined ? 'nothing' : `${event.action} ${event.detail}`;
    this.fault ??= { expected, actual };
  }
}

function checkTimes(events: readonly Event[], path: string, findings: Findings): void {
  for (let index = 1; index < events.length; index += 1) {
    const [one, other] = [events[index - 1], events[index]];
    if (one !== undefined && other !== undefined && other.atMs < one.atMs) {
      findings.add('TEARDOWN_ORDER', `${path}[${index}].atMs`, `at least ${one.atMs}`, other.atMs);
    }
  }
}

/** The numbers that events tell are those of the record. */
function checkCounts(
  attempt: Attempt,
  { filesAfter, references }: { readonly filesAfter: number; readonly references: readonly string[] },
  path: string,
  findings: Findings,
): void {
  const numberIn = (event: Event, form: RegExp): number => Number(form.exec(event.detail)?.[1] ?? 0);
  const alive = attempt.teardown
    .filter(({ action }) => action === 'list')
    // What a reference leaves is ended with it and counts for nothing.
    .filter(({ detail }) => !references.some((name) => detail.startsWith(`${name}: `)))
    .reduce((sum, event) => sum + numberIn(event, /: ([0-9]{1,9}) alive$/), 0);
  findings.same('TEARDOWN_COUNT', `${path} list`, attempt.leftovers.length, alive);
  const snapshot = attempt.teardown.find(({ action, detail }) => action === 'snapshot' && !LOOK.test(detail));
  const entries = snapshot === undefined ? 0 : numberIn(snapshot, /^([0-9]{1,9}) entries$/);
  findings.same('TEARDOWN_COUNT', `${path} snapshot`, filesAfter, entries);
}

/** A drain that ended has seen the end of every stream that is waited for; one that did not names those left open. */
function checkDrain(step: StepRecord, place: DrainPlace): void {
  const { attempt, unawaited, path, findings } = place;
  const detail = attempt.teardown.find(
    (event) => event.action === 'drain' && event.detail.startsWith(`${step.name}: `),
  )?.detail;
  // Of a box that was killed, or a process that never was, no stream has an end that could be waited for.
  const boxEnded = attempt.teardown.some(({ action }) => action === 'kill-box');
  if (detail === undefined || boxEnded || step.termination.kind === 'not-started') return;
  const told = detail.slice(step.name.length + 2);
  const endless = (['stdout', 'stderr'] as const).filter(
    (name) => !step[name].eofSeen && !unawaited.includes(name),
  );
  const fits =
    told === 'ended' ? endless.length === 0 : OPEN.test(told) && endless.every((name) => told.includes(name));
  if (!fits) {
    const expected = endless.length === 0 ? 'ended' : `${endless.join(' and ')} still open`;
    findings.add('TEARDOWN_COUNT', `${path} drain`, `${step.name}: ${expected}`, detail);
  }
}

/** A look around a control. */
const LOOK = /^[a-z0-9-]+ (laid|ran|undone): /;

const OPEN = /^(stdout|stderr|stdout and stderr)? still open$/;

interface DrainPlace {
  readonly attempt: Attempt;
  /** Streams that went into a file or that we closed ourselves. */
  readonly unawaited: readonly StreamName[];
  readonly path: string;
  readonly findings: Findings;
}
