/** Row 13: output without end. */
export default function flood() {
  const chunk = Buffer.alloc(1024 * 1024, 'flood ');
  const write = () => {
    while (process.stdout.write(chunk));
    process.stdout.once('drain', write);
  };
  write();
}
