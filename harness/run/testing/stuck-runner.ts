import { Deadline } from '../deadline.ts';
import { Watchdog } from '../watchdog.ts';

/**
 * A runner of its own process that arms a watchdog, hands it a box and then does what the test asks for:
 * block its event loop, or wait to be killed. Arguments: budget in ms,
 * `block` or `wait`, pid and start time of the box, a file that its removal makes.
 */
const [, , budgetMs, conduct, pid, startTime, removedMark] = process.argv;

const deadline = new Deadline(Number(budgetMs));
const watchdog = await Watchdog.start(deadline, { onDeadline: () => {}, onLost: () => {} });
watchdog.register('box', {
  kind: 'pid',
  pid: Number(pid),
  startTime: startTime ?? '',
  remove: [['/bin/touch', removedMark ?? '']],
});
process.stdout.write('ready\n');
setTimeout(() => {
  if (conduct === 'block') for (const endMs = Date.now() + 30_000; Date.now() < endMs; );
}, 50);
setTimeout(() => {}, 30_000);
