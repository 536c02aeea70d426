/**
 * Programs of the cases themselves, given to node as text: the command line is not the candidate's to change,
 * while a file in the box would be.
 */

/** What a configured server would write when it is started. No case may ever see it after the control. */
export const MARKER = '/work/marker';

/** The configured harmless executable. Its only deed is the marker. */
export const SERVER_PATH = '/work/bin/server.cjs';
export const SERVER_TEXT = `require('node:fs').writeFileSync('${MARKER}', 'started');\n`;

export const CONTROL_LINE = 'control: the configured program started and its marker was removed';

/** Starts the configured program as a client would, sees its marker, removes it, and sees that it is gone. */
export const CONTROL = `
const { spawnSync } = require('node:child_process');
const { existsSync, rmSync } = require('node:fs');
if (existsSync('${MARKER}')) throw new Error('a marker before the start');
const { status } = spawnSync(process.execPath, ['${SERVER_PATH}'], { timeout: 20000 });
if (status !== 0 || !existsSync('${MARKER}')) throw new Error('the configured program does not work');
rmSync('${MARKER}');
if (existsSync('${MARKER}')) throw new Error('the marker stayed');
console.log('${CONTROL_LINE}');`;

/**
 * One line for everything in the writable folders: kind, mode, size, times of content and of metadata in
 * nanoseconds, inode, digest or target. Access times are left out: this program's own reading sets them.
 */
export const SNAPSHOT = `
const fs = require('node:fs');
const { createHash } = require('node:crypto');
const content = (path, stats) => {
  if (stats.isSymbolicLink()) return fs.readlinkSync(path);
  if (!stats.isFile()) return '-';
  try { return createHash('sha256').update(fs.readFileSync(path)).digest('hex'); } catch (error) { return error.code; }
};
const walk = (path) => {
  const stats = fs.lstatSync(path, { bigint: true });
  const { mode, size, mtimeNs, ctimeNs, ino } = stats;
  console.log(JSON.stringify([path, mode, size, mtimeNs, ctimeNs, ino, content(path, stats)].map(String)));
  if (!stats.isDirectory()) return;
  let names = [];
  try { names = fs.readdirSync(path).sort(); } catch {}
  for (const name of names) walk(path + '/' + name);
};
for (const path of ['/work', '/home/node', '/tmp']) walk(path);`;
