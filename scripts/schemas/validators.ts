import { pathToFileURL } from 'node:url';
import { absolutePath } from './absolute-path.ts';

/** A compiled schema. */
export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/** The validators that the build compiled from the schema files, by the name of the document. */
export async function readValidators(): Promise<ReadonlyMap<string, Validator>> {
  const file = absolutePath('dist/evidence-schema/validators.js');
  const module: Readonly<Record<string, Validator>> = await import(pathToFileURL(file).href);
  return new Map(Object.entries(module).map(([name, validator]) => [name.replaceAll('_', '-'), validator]));
}
