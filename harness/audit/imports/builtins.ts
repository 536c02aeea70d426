/**
 * Modules that come with Node and load without the prefix `node:`. Written out, so that the same archive
 * gives the same findings on every version of Node. Source: Node.js documentation, index of modules.
 */
const BUILTINS = new Set(
  (
    'assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns ' +
    'domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring ' +
    'readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib'
  ).split(' '),
);

/** Whether a bare specifier means a part of Node. Subpaths such as `fs/promises` count. */
export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || BUILTINS.has(specifier.split('/', 1)[0] ?? '');
}

/** The package a bare specifier names: two parts with a scope, one without. Null when it names none. */
export function toPackageName(specifier: string): string | null {
  const [first, second] = specifier.split('/', 2);
  if (first === undefined || first === '') return null;
  if (!first.startsWith('@')) return first;
  return second === undefined || second === '' ? null : `${first}/${second}`;
}
