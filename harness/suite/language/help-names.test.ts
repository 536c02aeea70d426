import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHelpNames } from './help-names.ts';

const HELP = `Usage: tool [options] [command]

Options:
  -V, --version           output the version number
  -o, --out-dir <folder>  where to write; see --verbose
      --[no-]color        colours
  -q                      says nothing
--loose
        Interpret loosely -x

Commands:
  init [path]             begins; may need --force
                          and more words
  run|start               starts
  tool                    is the program itself

  help [command]          display help for command
Learn more: tool help
  later                   is below no heading
`;

test('options begin their lines, and commands stand below their heading', () => {
  const { options, commands } = readHelpNames(HELP, 'tool');
  assert.deepEqual(options, ['--version', '--out-dir', '-q', '--loose']);
  assert.deepEqual(commands, ['init', 'run', 'help']);
});

test('a text that names nothing, and one that names too much, are bounded', () => {
  assert.deepEqual(readHelpNames('usage: tool FILE\nA -x and a --long in words\n', 'tool'), {
    options: [],
    commands: [],
  });
  const many = Array.from({ length: 100 }, (_, index) => `  --option-${index}\n`).join('');
  assert.equal(readHelpNames(many, 'tool').options.length, 40);
  assert.deepEqual(readHelpNames(`${'x'.repeat(70_000)}\n--late`, 'tool').options, []);
});
