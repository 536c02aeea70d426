// Written from the schema of the same name: npm run schemas.

/** a line of cases/<case>/transcript.ndjson */
export type TranscriptLine = {
  readonly kind: "output";
  readonly step: TranscriptLineStepName;
  readonly stream: TranscriptLineStreamName;
  readonly sizeBytes: number;
  readonly atMs: TranscriptLineDuration;
} | {
  readonly kind: "signal";
  readonly step: TranscriptLineStepName;
  readonly detail: TranscriptLineSentence;
  readonly atMs: TranscriptLineDuration;
} | {
  readonly kind: "stdin";
  readonly step: TranscriptLineStepName;
  readonly detail: TranscriptLineSentence;
  readonly atMs: TranscriptLineDuration;
} | {
  readonly kind: "stdin-closed";
  readonly step: TranscriptLineStepName;
  readonly detail: TranscriptLineSentence;
  readonly atMs: TranscriptLineDuration;
} | {
  readonly kind: "output-closed";
  readonly step: TranscriptLineStepName;
  readonly detail: TranscriptLineSentence;
  readonly atMs: TranscriptLineDuration;
};

export type TranscriptLineDuration = number;

export type TranscriptLineSentence = string;

export type TranscriptLineStepName = string;

export type TranscriptLineStreamName = "stdout" | "stderr";
