import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { npmReason } from './npm-words.ts';

const HELP = Array.from({ length: 200 }, (_, index) => `npm error   --option-${index} of the command`);
const USAGE = [
  'npm warn using --force',
  'npm error code EUSAGE',
  'npm error',
  'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
  'npm error',
  'npm error Missing: left-pad@1.3.0 from lock file',
  'npm error Invalid: lock file’s a@1.0.0 does not satisfy a@2.0.0',
  'npm error',
  'npm error Clean install a project',
  'npm error',
  'npm error Usage:',
  'npm error npm ci',
  ...HELP,
];

describe('the reason of a failed install', () => {
  it('is npm’s first error, not its help text', () => {
    assert.equal(
      npmReason({ stdout: 'noise', stderr: USAGE.join('\n') }),
      'code EUSAGE; Missing: left-pad@1.3.0 from lock file; Invalid: lock file’s a@1.0.0 does not satisfy a@2.0.0',
    );
  });

  it('is found in the words of older versions too, and does not name a log', () => {
    const stderr =
      'npm ERR! code EINTEGRITY\r\nnpm ERR! sha512-x\r\nnpm ERR! A complete log of this run can be found in: x';
    assert.equal(npmReason({ stdout: '', stderr }), 'code EINTEGRITY; sha512-x');
  });

  it('is the end of what was said where npm named none, and never longer than can be read', () => {
    assert.equal(npmReason({ stdout: 'out', stderr: ' \n' }), 'out');
    assert.equal(npmReason({ stdout: 'out', stderr: 'Killed\n' }), 'Killed');
    const long = `npm error ${'x'.repeat(5000)}`;
    assert.equal(npmReason({ stdout: '', stderr: long }).length, 2000);
    assert.equal(npmReason({ stdout: '', stderr: '' }), '');
  });
});
