import { build } from 'esbuild';
import { Job } from 'kubernetes-models/batch/v1';
import { parse } from 'yaml';
import { packageRoot } from '../../../document/assets.ts';

/** What the schema of the Kubernetes API says of a Job; null: nothing. */
export function checkJob(text: string): string | null {
  try {
    new Job(parse(text, { strict: true })).validate();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface WorkflowParser {
  readonly check: (text: string) => Promise<readonly string[]>;
}

const ENTRY = `
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
export async function check(content) {
  const { context, value } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value, undefined, { errorPolicy: 1 });
  return context.errors.getErrors().map((error) => error.message);
}`;

let parser: Promise<WorkflowParser> | null = null;

/** What GitHub's own parser says of a workflow. It imports JSON as Node 20 does not, so it is bundled first. */
export async function checkWorkflow(text: string): Promise<readonly string[]> {
  parser ??= loadParser();
  return (await parser).check(text);
}

async function loadParser(): Promise<WorkflowParser> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: packageRoot() },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.url)});`,
    },
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('no bundle of the parser');
  return await import(`data:text/javascript;base64,${Buffer.from(file.contents).toString('base64')}`);
}
