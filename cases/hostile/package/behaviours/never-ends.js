/** Row 5. */
export default function neverEnds() {
  console.log('partial');
  setInterval(() => {}, 1e6);
}
