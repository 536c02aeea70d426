import { createHash } from 'node:crypto';

/** sha256 of bytes as 64 lower-case hex digits, the form in which every digest of ours is stored. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The Subresource Integrity form npm uses: `sha512-` and 64 bytes in base64. */
export function sha512Integrity(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
