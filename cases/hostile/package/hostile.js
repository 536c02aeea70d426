#!/usr/bin/env node
// One behaviour each run, named by the first argument, so that a case shows which one it is about.
const [name = '', ...rest] = process.argv.slice(2);
const { default: behave } = await import(`./behaviours/${name}.js`);
await behave(...rest);
