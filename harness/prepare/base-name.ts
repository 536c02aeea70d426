import type { ContextBase } from './context-document.ts';

/** A base in the words of the verifier's `--require base=`, which the manifest of evidence has too. */
export function nameBase(base: ContextBase): string {
  switch (base.kind) {
    case 'debian':
      return 'debian';
    case 'rootfs':
      return `rootfs@sha256:${base.rootfs.sha256}`;
    case 'image':
      return `image:${base.reference}@sha256:${base.digest}`;
  }
}
