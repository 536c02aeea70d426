// Writes evidence-schema/*.schema.json and their types from the shapes. Run it after a change of a shape: npm run schemas.
import { mkdir, writeFile } from 'node:fs/promises';
import { absolutePath } from './absolute-path.ts';
import { README, readmeText } from './readme.ts';
import { schemaFiles, TYPE_FOLDER, typeFiles } from './schema-files.ts';

await mkdir(absolutePath(TYPE_FOLDER), { recursive: true });
for (const [path, text] of [...schemaFiles(), ...typeFiles()]) await writeFile(absolutePath(path), text);
await writeFile(absolutePath(README), readmeText());
