/** Prints what trying something came to: a word for success, or the error's code. */
export async function attempt(name, action) {
  try {
    await action();
    console.log(`${name} done`);
  } catch (error) {
    console.log(`${name} ${error.code ?? error.message}`);
  }
}
