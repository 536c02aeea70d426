import type { EntryShape } from './profile.ts';

/** The entry that most clients share; the others are written as differences from it. */
export const COMMON_ENTRY: EntryShape = {
  command: { field: 'command', form: 'text' },
  args: 'args',
  env: { field: 'env', values: 'text' },
  urls: ['url'],
  textFields: ['type', 'cwd'],
  flagFields: ['disabled'],
  numberFields: [],
  textListFields: [],
  textMapFields: ['headers'],
};

/** VS Code and the portable form that it reads: environment values may also be numbers or null. */
export const VSCODE_ENTRY: EntryShape = {
  ...COMMON_ENTRY,
  env: { field: 'env', values: 'text-number-null' },
  textFields: ['type', 'cwd', 'envFile'],
};
