import { closeSync } from 'node:fs';

/** Row 19: closes its input while more comes. */
export default function closesInput() {
  closeSync(0);
  setTimeout(() => console.log('done'), 100);
}
