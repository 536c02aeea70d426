import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';

/** Rows 11 and 12: bytes, then files, until a place that can be written refuses. */
export default function fill() {
  for (const place of ['/tmp', '/dev/shm']) console.log(`${place} bytes ${fillBytes(`${place}/fill`)}`);
  rmSync('/tmp/fill');
  console.log(`/tmp files ${fillFiles('/tmp/many')}`);
}

function fillBytes(path) {
  try {
    const file = openSync(path, 'w');
    const chunk = Buffer.alloc(1024 * 1024, 1);
    for (let count = 0; count < 4096; count += 1) {
      try {
        if (writeSync(file, chunk) < chunk.length) return `full below ${count + 1} MiB`;
      } catch (error) {
        closeSync(file);
        return `${error.code} after ${count} MiB`;
      }
    }
    return 'never refused';
  } catch (error) {
    return error.code;
  }
}

function fillFiles(folder) {
  let count = 0;
  try {
    mkdirSync(folder);
    for (; count < 1_000_000; count += 1) writeFileSync(`${folder}/${count}`, '');
    return 'never refused';
  } catch (error) {
    return `${error.code} below ${Math.ceil((count + 1) / 32_768) * 32_768}`;
  }
}
