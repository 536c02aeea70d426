/** Row 6: a program that wants no signal. */
export default function deaf() {
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) process.on(name, () => console.log(name));
  console.log('ready');
  setInterval(() => {}, 1e6);
}
