/** Row 39: endings that look like somebody else's doing. */
export default function exits(how) {
  if (how === 'abort') process.abort();
  process.exitCode = Number(how);
}
