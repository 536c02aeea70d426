import type { Platform } from '../../boundary/boundary.ts';

const ARCHITECTURES: Readonly<Record<Platform, string>> = {
  'linux/amd64': 'x86_64',
  'linux/arm64': 'aarch64',
};

/**
 * The command line of a box's process 1. The paths are those of the base layer; interpreter and script are
 * files of the image like any other and stand in its inventory.
 *
 * `endsAfterMs` is counted by the holder from its own start. `controlDescriptor` is where it finds its
 * commands when not on its stdin.
 */
export function toHolderArgv(
  platform: Platform,
  endsAfterMs: number,
  controlDescriptor?: number,
): readonly string[] {
  return [
    '/.packproof/perl',
    '/.packproof/holder.pl',
    ARCHITECTURES[platform],
    String(Math.max(1, Math.ceil(endsAfterMs))),
    ...(controlDescriptor === undefined ? [] : [String(controlDescriptor)]),
  ];
}

/** Characters of stderr that are kept for the message of an error. */
const DIAGNOSTIC_CHARACTERS = 4_000;

/** Reads a stderr to its end, so that nobody ever waits on it; returns what it said first. */
export function collectDiagnostics(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (bytes: Buffer) => {
    text = (text + bytes.toString('utf8')).slice(0, DIAGNOSTIC_CHARACTERS);
  });
  // Its loss is no loss: the frames tell of the same end.
  stream.on('error', () => {});
  return () => text;
}
