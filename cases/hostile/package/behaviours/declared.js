import { readdirSync } from 'node:fs';

/** Row 31: what makes one machine's output another's, as far as a suite declares it. */
export default function declared() {
  console.log(`zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}`);
  console.log(`locale ${Intl.DateTimeFormat().resolvedOptions().locale}`);
  console.log(`umask ${process.umask().toString(8)}`);
  console.log(`terminal ${process.stdout.isTTY === true} ${process.stdout.columns}`);
  console.log(`folder ${process.cwd()} ${readdirSync('.').length}`);
}
