/** Rows 29 and 37: everything that came with the start. */
export default function environment() {
  for (const [name, value] of Object.entries(process.env).sort()) console.log(`${name}=${value}`);
}
