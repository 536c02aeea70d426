import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readAsset } from '../../document/assets.ts';

const FOLDERS = [
  'dev',
  'etc',
  'home/node',
  'opt/candidate',
  'proc',
  'srv',
  'sys',
  'tmp',
  'usr/lib64',
  'work',
];
const MERGED_LINKS = ['bin', 'lib', 'lib64'];

/** Programs of this machine, and where they lie in the image. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '/usr/bin/perl': '.packproof/perl',
  '/bin/sh': 'usr/bin/sh',
  '/usr/bin/env': 'usr/bin/env',
};

/**
 * Stands for the holder of the image: process 1, not to be read, parent of a step with pipes of its own.
 * Its arguments are the system call number of prctl (0: stay readable), the step's environment, `--` and
 * its argv; `leak` leaves a descriptor open that the step then has.
 */
const HOLDER = `
my ($prctl, @rest) = @ARGV;
syscall(0 + $prctl, 4, 0, 0, 0, 0) if $prctl;
my @env; push @env, shift @rest while $rest[0] ne '--';
shift @rest;
my $leak = grep { $_ eq 'LEAK=1' } @env;
$^F = 9 if $leak;
open(my $leaked, '<', '/dev/zero') if $leak;
$^F = 2;
pipe(my $order, my $give); pipe(my $take, my $answer); pipe(my $hear, my $complain);
my $step = fork;
if (!$step) {
  open(STDIN, '<&', $order); open(STDOUT, '>&', $answer); open(STDERR, '>&', $complain);
  %ENV = map { split /=/, $_, 2 } grep { $_ ne 'LEAK=1' } @env;
  chdir '/work';
  exec { $rest[0] } @rest;
}
close $_ for $order, $answer, $complain;
while (sysread(STDIN, my $bytes, 65536)) { syswrite($give, $bytes) }
close $give;
while (sysread($take, my $bytes, 65536)) { syswrite(STDOUT, $bytes) }
while (sysread($hear, my $bytes, 65536)) { syswrite(STDERR, $bytes) }
waitpid($step, 0);
exit($? ? 1 : 0);
`;

/** An image in the shape of ours, made of this machine's perl, shell and libraries; `nodes` are laid beside. */
export function buildHostRootfs(root: string, nodes: Readonly<Record<string, string>> = {}): void {
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  for (const link of MERGED_LINKS) symlinkSync(`usr/${link}`, join(root, link));
  // A loader may look only where it was built to look, so libraries keep their places below /usr.
  const sources = [...Object.keys(PROGRAMS), ...Object.values(nodes)];
  const listing = execFileSync('ldd', sources, { encoding: 'utf8' });
  for (const [, library] of listing.matchAll(/(\/lib\S+) \(0x/g)) {
    if (library !== undefined) place(root, library, `usr${library}`);
  }
  for (const [from, to] of Object.entries(PROGRAMS)) place(root, from, to);
  for (const [to, from] of Object.entries(nodes)) place(root, from, to);
  if (nodes['usr/local/bin/node'] === undefined) place(root, '/usr/bin/env', 'usr/local/bin/node');
  writeFileSync(join(root, '.packproof/holder.pl'), HOLDER);
  writeFileSync(join(root, '.packproof/probe.pl'), readAsset('harness/boundary/probe.pl'));
}

function place(root: string, from: string, to: string): void {
  const path = join(root, to);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(from, path);
}
