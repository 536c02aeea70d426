/** Row 14: one long line of every byte, without a line feed at its end. */
export default function bytes() {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  process.stdout.write(Buffer.concat(Array.from({ length: 4096 }, () => all)));
}
