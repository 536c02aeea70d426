import type { FileTreeEntry } from '../engine.ts';

const content = Buffer.from('content');

/** Entries of three users; each denied one has a twin that differs in its mode or owner alone and can be read. */
export const OWNED_FILES: readonly FileTreeEntry[] = [
  { kind: 'file', path: '/work/denied', mode: 0o600, content },
  { kind: 'file', path: '/work/readable', mode: 0o644, content },
  { kind: 'file', path: '/work/own-zero', mode: 0o000, content },
  { kind: 'file', path: '/work/own', mode: 0o600, content },
  { kind: 'directory', path: '/work/shut', mode: 0o700 },
  { kind: 'file', path: '/work/shut/%FF', mode: 0o644, content },
  { kind: 'directory', path: '/work/open', mode: 0o755 },
  { kind: 'file', path: '/work/open/f', mode: 0o644, content },
  // Absolute, so that whoever follows it from the host meets the host's own file.
  { kind: 'symlink', path: '/work/link', target: '/etc/passwd' },
  { kind: 'times', path: '/work/denied', mtimeMs: 1_000_000_000_000 },
  { kind: 'owner', path: '/work/denied', uid: 0, gid: 0 },
  { kind: 'owner', path: '/work/readable', uid: 0, gid: 0 },
  { kind: 'owner', path: '/work/shut', uid: 1001, gid: 1001 },
  { kind: 'owner', path: '/work/open', uid: 1001, gid: 1001 },
  { kind: 'owner', path: '/work/link', uid: 1001, gid: 1001 },
];

/** Perl that prints for each of them whether it can be read, and whether an owned one can be changed. */
export const READ_OWNED = `
  for my $path ('denied', 'readable', 'own-zero', 'own', "shut/\\xff", 'open/f') {
    print "$path ", (open(my $f, '<', "/work/$path") ? 'read' : $! + 0), "\\n";
  }
  print 'chmod ', (chmod(0666, '/work/readable') ? 'done' : $! + 0), "\\n";
  print 'new ', (open(my $f, '>', '/work/open/new') ? 'done' : $! + 0), "\\n";`;

/** EACCES is 13, EPERM 1. */
export const OWNED_ANSWER =
  'denied 13\nreadable read\nown-zero 13\nown read\nshut/\xff 13\nopen/f read\nchmod 1\nnew 13\n';

/** Path, owner and mode of what is listed of them. */
export const OWNED_LISTED: readonly string[] = [
  '/work/denied 0:0 0600',
  '/work/link 1001:1001 0777',
  '/work/open 1001:1001 0755',
  '/work/open/f 1000:1000 0644',
  '/work/own 1000:1000 0600',
  '/work/own-zero 1000:1000 0000',
  '/work/readable 0:0 0644',
  '/work/shut 1001:1001 0700',
  '/work/shut/%FF 1000:1000 0644',
];
