/** Row 19: never reads. */
export default function ignoresInput() {
  setTimeout(() => console.log('done'), 100);
}
