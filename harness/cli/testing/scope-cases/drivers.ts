/**
 * Programs of the cases themselves, given to node as text: the command line is not the candidate's to change,
 * while a file in the box would be.
 */

/** What a configured server would write when it is started. No case may ever see it after the control. */
export const MARKER = '/work/marker';

/** The configured harmless executable. Its only deed is the marker. */
export const SERVER_PATH = '/work/bin/server.cjs';
export const SERVER_TEXT = `require('node:fs').writeFileSync('${MARKER}', 'started');\n`;

/** Made last before the inventory: what has a later change time was changed since. */
export const REFERENCE = '/work/reference';

/** 2020-01-01, in seconds since the epoch. */
const DAY_SECONDS = 1_577_836_800;

/**
 * One line for everything in the writable folders: kind and mode, size, digest or target, and whether its time of
 * content or anything about it was changed, or a file read in a way that leaves a trace. Times are set to one day in
 * the past first, and none is printed but only compared, names are bytes, so that a replay prints the same bytes,
 * also when something was touched.
 */
const LISTING = `
const fs = require('node:fs');
const { createHash } = require('node:crypto');
const since = () => fs.lstatSync('${REFERENCE}', { bigint: true }).ctimeNs;
const content = (path, stats) => {
  if (stats.isSymbolicLink()) return fs.readlinkSync(path);
  if (!stats.isFile()) return '-';
  try { return createHash('sha256').update(fs.readFileSync(path)).digest('hex'); } catch (error) { return error.code; }
};
const walk = (path, visit) => {
  const stats = fs.lstatSync(path, { bigint: true });
  let names = [];
  try { if (stats.isDirectory()) names = fs.readdirSync(path, 'buffer').sort(Buffer.compare); } catch {}
  for (const name of names) walk(Buffer.concat([path, Buffer.from('/'), name]), visit);
  visit(path, stats);
};
const everything = (visit) => { for (const path of ['/work', '/home/node', '/tmp']) walk(Buffer.from(path), visit); };
const list = () => {
  const reference = since();
  everything((path, stats) => {
    const { mode, size, mtimeNs, ctimeNs, atimeNs } = stats;
    const shownSize = stats.isDirectory() ? '-' : size;
    const day = ${DAY_SECONDS}000000000n;
    const time = mtimeNs === day ? 'its time' : 'another time';
    const access = !stats.isFile() || atimeNs === day ? 'unread' : 'read';
    const change = ctimeNs > reference ? 'changed since' : 'unchanged';
    console.log(JSON.stringify([path.toString('latin1'), mode, shownSize, time, content(path, stats), change, access].map(String)));
  });
};`;

/** Sets every time, makes the reference, and lists everything; again, because listing reads. */
export const BEFORE = `${LISTING}
const settle = () => {
  everything((path) => {
    // Entries of other users keep the time at which they were laid, which no listing prints.
    try { fs.lutimesSync(path, ${DAY_SECONDS}, ${DAY_SECONDS}); } catch {}
  });
  fs.chmodSync('${REFERENCE}', 0o600);
};
fs.writeFileSync('${REFERENCE}', '');
settle();
list();
settle();`;

/** Lists everything again: the same bytes, when nothing was touched. */
export const AFTER = `${LISTING}
list();`;
