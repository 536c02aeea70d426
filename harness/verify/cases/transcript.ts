import type { Findings } from '../finding.ts';
import type { StepRecord, TranscriptLine } from '../shape/receipt.ts';
import type { StreamName, SuiteCase, SuiteStep } from '../shape/suite.ts';
import type { StoredAttempt } from './stored-attempt.ts';

type OutputLine = Extract<TranscriptLine, { readonly kind: 'output' }>;
type ActionLine = Exclude<TranscriptLine, OutputLine>;

/** Beyond as many runs of output the last one of a stream takes the rest. */
const RUNS_LIMIT = 4096;
/** Bytes of a stream that come within this time of a run's first belong to it. In milliseconds. */
const RUN_MS = 10;
/** Answers to requests of a candidate that one dialogue gives. */
const REPLIES_LIMIT = 100;
/** A timer may fire a moment early by the clock that records it. In milliseconds. */
const TIMER_SLACK_MS = 2;

/** Holds the transcript of an attempt against the records of its streams and the plans of its steps. */
export function checkTranscript(
  declared: SuiteCase,
  { attempt, base, transcript }: StoredAttempt,
  findings: Findings,
): void {
  const path = `${base}transcript.ndjson`;
  const places = new Map(attempt.steps.map(({ name }, index) => [name, index]));
  let before = { step: -1, atMs: 0 };
  for (const [index, line] of transcript.entries()) {
    const step = places.get(line.step);
    if (step === undefined) {
      findings.add('TRANSCRIPT_STEP', `${path}:${index + 1}.step`, 'a step of the receipt', line.step);
      continue;
    }
    if (step < before.step || (step === before.step && line.atMs < before.atMs)) {
      findings.add('TRANSCRIPT_ORDER', `${path}:${index + 1}`, 'lines in the order of time', line.atMs);
    }
    before = { step, atMs: line.atMs };
  }
  for (const step of attempt.steps) {
    const lines = transcript.filter((line) => line.step === step.name);
    const plan = declared.steps.find(({ name }) => name === step.name);
    checkOutput(step, lines.filter(isOutput), path, findings);
    if (plan !== undefined) {
      for (const line of lines) if (line.kind !== 'output') checkAction(plan, line, path, findings);
      checkInputs(plan, lines, path, findings);
    }
  }
}

function isOutput(line: TranscriptLine): line is OutputLine {
  return line.kind === 'output';
}

/** The runs of a stream add up to it, and its last byte came with its last run. */
function checkOutput(step: StepRecord, lines: readonly OutputLine[], path: string, findings: Findings): void {
  for (const name of ['stdout', 'stderr'] as const satisfies readonly StreamName[]) {
    const runs = lines.filter(({ stream }) => stream === name);
    const { totalBytes, lastByteAtMs } = step[name];
    const sum = runs.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
    findings.same('TRANSCRIPT_SUM', `${path} ${step.name} ${name}`, totalBytes, sum);
    const last = runs.at(-1);
    if (last === undefined || lastByteAtMs === null || lines.length >= RUNS_LIMIT) continue;
    // Times are kept to a tenth of a millisecond.
    if (lastByteAtMs < last.atMs || lastByteAtMs - last.atMs > RUN_MS + 0.1) {
      findings.add('TRANSCRIPT_SUM', `${path} ${step.name} ${name} atMs`, `about ${lastByteAtMs}`, last.atMs);
    }
  }
}

/** Nothing was done to a step that its plan does not say. */
function checkAction(plan: SuiteStep, line: ActionLine, path: string, findings: Findings): void {
  const where = `${path} ${plan.name} ${line.kind}`;
  const ladder = plan.stdin.kind === 'dialogue' ? ['SIGTERM', 'SIGKILL'] : [];
  switch (line.kind) {
    case 'signal': {
      const planned = plan.signals.filter(({ signal }) => signal === line.detail);
      const soonest = Math.min(...planned.map(({ delayMs }) => delayMs));
      const isPlanned = planned.length > 0 && line.atMs + TIMER_SLACK_MS >= soonest;
      if (!isPlanned && !ladder.includes(line.detail)) {
        findings.add(
          'TRANSCRIPT_ACTION',
          where,
          'a signal of the plan at its time',
          `${line.detail} ${line.atMs}`,
        );
      }
      return;
    }
    case 'output-closed': {
      const closes = typeof plan.stdout === 'object' && 'closeAfterBytes' in plan.stdout;
      if (!closes || line.detail !== 'stdout') {
        findings.add('TRANSCRIPT_ACTION', where, 'a stream that the plan closes', line.detail);
      }
      return;
    }
    case 'stdin-closed': {
      const { stdin } = plan;
      const closes = stdin.kind === 'dialogue' || ('thenClose' in stdin && stdin.thenClose);
      if (!closes || line.detail !== '') findings.add('TRANSCRIPT_ACTION', where, 'as planned', line.detail);
      return;
    }
    case 'stdin':
      if (!inputForm(plan).test(line.detail)) {
        findings.add('TRANSCRIPT_ACTION', where, 'input of the plan', line.detail);
      }
  }
}

/** The words in which an input of the plan is recorded. */
function inputForm({ stdin }: SuiteStep): RegExp {
  const answers = '(written|broken-pipe|not taken)';
  switch (stdin.kind) {
    case 'bytes': {
      const { length } = Buffer.from(stdin.contentBase64, 'base64');
      return new RegExp(`^${length} bytes ${answers}$`);
    }
    case 'fill':
      return new RegExp(`^[0-9]+ of ${stdin.sizeBytes} bytes written, last piece ${answers}$`);
    case 'dialogue':
      return new RegExp(`^[0-9]+ bytes ${answers}$`);
    default:
      return /^(?!)/;
  }
}

/** Bytes of the shortest answer to a request: its fixed part and an id of one digit. */
const SHORTEST_REPLY_BYTES = 77;

/**
 * Each line of a dialogue is sent once, in order; between them stand only our answers to requests. Of what was
 * sent the sizes are kept, so that a line of another size is another line.
 */
function checkDialogue(
  plan: SuiteStep,
  inputs: readonly ActionLine[],
  path: string,
  findings: Findings,
): void {
  if (plan.stdin.kind !== 'dialogue') return;
  const sizes = plan.stdin.exchanges.map(({ line }) => Buffer.byteLength(line) + 1);
  let next = 0;
  for (const { detail } of inputs) {
    const size = Number.parseInt(detail, 10);
    if (size === sizes[next]) next += 1;
    else if (size < SHORTEST_REPLY_BYTES) {
      findings.add(
        'TRANSCRIPT_ACTION',
        `${path} ${plan.name} stdin`,
        `${sizes[next] ?? 'no further'} bytes`,
        detail,
      );
    }
  }
  if (next === 0 && inputs.length > 0) {
    findings.add(
      'TRANSCRIPT_ACTION',
      `${path} ${plan.name} stdin`,
      'the lines of the dialogue',
      inputs.length,
    );
  }
}

function checkInputs(
  plan: SuiteStep,
  lines: readonly TranscriptLine[],
  path: string,
  findings: Findings,
): void {
  const inputs = lines.filter((line): line is ActionLine => line.kind === 'stdin');
  checkDialogue(plan, inputs, path, findings);
  const exchanges = plan.stdin.kind === 'dialogue' ? plan.stdin.exchanges.length + REPLIES_LIMIT : 1;
  const closes = lines.filter(({ kind }) => kind === 'stdin-closed').length;
  const ends = lines.filter(({ kind }) => kind === 'output-closed').length;
  const signals = lines.filter(({ kind }) => kind === 'signal').length;
  const most = plan.signals.length + (plan.stdin.kind === 'dialogue' ? 2 : 0);
  const fits = inputs.length <= exchanges && closes <= 1 && ends <= 1 && signals <= most;
  if (!fits) {
    findings.add('TRANSCRIPT_ACTION', `${path} ${plan.name}`, 'each action of the plan once', lines.length);
  }
}
