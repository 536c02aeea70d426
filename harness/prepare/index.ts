export { type ContextBlock, type ContextDocument, parseContext } from './context-document.ts';
export { type PrepareCode, PrepareError } from './errors.ts';
export { toImageInputs } from './image-inputs.ts';
export { type PrepareResult, prepareContext } from './prepare.ts';
export type {
  AuditOutcome,
  PrepareOptions,
  PreparePorts,
  SuiteRequest,
  UnsafeFinding,
} from './prepare-options.ts';
export type { PrepareProgress, Reporter } from './progress.ts';
export { archivePath, type PreparedContext, readContext } from './read-context.ts';
export { cacheRoot } from './store.ts';
