import type { StreamName } from '../engine/engine.ts';

/**
 * What a box writes, for the streams of this process: as it is for a pipe or a file. A terminal heeds control
 * sequences, some of which answer, rename or rewrite, and the candidate writes them: there all but line feed,
 * carriage return and tab are shown as `\u{…}`.
 */
export function toOwnStreams(
  streams: Readonly<Record<StreamName, NodeJS.WriteStream>>,
): (stream: StreamName, bytes: Buffer) => void {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return (stream, bytes) => {
    const target = streams[stream];
    if (target.isTTY !== true) target.write(bytes);
    else target.write(toTerminalText(decoders[stream].decode(bytes, { stream: true })));
  };
}

/** Text of many lines without any character that moves more than the line. */
export function toTerminalText(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}
