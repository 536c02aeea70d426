// Writes evidence-schema/*.schema.json from the shapes. Run it after a change of a shape: npm run schemas.
import { writeFile } from 'node:fs/promises';
import { absolutePath, schemaFiles } from './schema-files.ts';

for (const [path, text] of schemaFiles()) await writeFile(absolutePath(path), text);
