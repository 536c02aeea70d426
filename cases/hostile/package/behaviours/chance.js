import { randomInt } from 'node:crypto';

/** Row 31: another word each time. */
export default function chance() {
  console.log(randomInt(2) === 0 ? 'heads' : 'tails');
}
