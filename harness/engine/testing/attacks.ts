/**
 * Perl programs for steps: each forks a victim, an ordinary process of the same user, does one thing to it
 * and then to process 1, and prints `victim …` and `holder …`. The first line is the control.
 */

const VICTIM = `
  $| = 1;
  my $victim = fork;
  if (!$victim) { select(undef, undef, undef, 30); exit 0 }
  my $x86 = -e '/lib64/ld-linux-x86-64.so.2';
  sub try { my ($name, $pid, $act) = @_; $! = 0; print $act->($pid) ? "$name worked\\n" : "$name $!\\n" }
`;

function both(act: string): string {
  return `${VICTIM} my $act = sub { my ($pid) = @_; ${act} };
    try('victim', $victim, $act); try('holder', 1, $act); kill 9, $victim;`;
}

/** Kills the victim by each signal that ends a process, sends all of them to process 1, then kills all. */
export const SIGNAL_ATTACK = `
  $| = 1;
  $SIG{$_} = 'DEFAULT' for qw(FPE PIPE);
  my $ended = 0;
  my @deadly = (1 .. 16, 24 .. 27, 29 .. 31);
  for my $signal (@deadly) {
    my $victim = fork;
    if (!$victim) { select(undef, undef, undef, 30); exit 0 }
    kill $signal, $victim;
    waitpid $victim, 0;
    $ended++ if ($? & 127) == $signal;
  }
  print "victims ended ", $ended == @deadly ? 'all' : $ended, "\\n";
  kill $_, 1 for 1 .. 31, 34 .. 64;
  my $victim = fork;
  if (!$victim) { select(undef, undef, undef, 30); exit 0 }
  kill 9, -1;
  waitpid $victim, 0;
  print "kill all ended ", $? & 127, "\\n";
  kill 9, $$;
`;

export const SIGNAL_ANSWER = 'victims ended all\nkill all ended 9\n';

/** Acts on memory and descriptors, with what process 1 must answer. */
export const MEMORY_ATTACKS: readonly {
  readonly name: string;
  readonly program: string;
  readonly holder: string;
}[] = [
  {
    name: 'open its memory',
    program: both('open(my $h, "+<", "/proc/$pid/mem")'),
    holder: 'Permission denied',
  },
  {
    name: 'list its descriptors',
    program: both('opendir(my $h, "/proc/$pid/fd")'),
    holder: 'Permission denied',
  },
  {
    name: 'open its stdout anew',
    program: both('open(my $h, ">>", "/proc/$pid/fd/1") || ($! == 6 && $pid != 1)'),
    holder: 'Permission denied',
  },
  {
    name: 'read its environment',
    program: both('open(my $h, "<", "/proc/$pid/environ")'),
    holder: 'Permission denied',
  },
  {
    name: 'enter its root',
    program: both('opendir(my $h, "/proc/$pid/root/")'),
    holder: 'Permission denied',
  },
];

/** The same by system calls that a seccomp policy refuses for any target; these need a box without one. */
export const TRACE_ATTACKS: typeof MEMORY_ATTACKS = [
  {
    name: 'trace it',
    program: both('syscall($x86 ? 101 : 117, 0x4206, $pid, 0, 0) == 0'),
    holder: 'Operation not permitted',
  },
  {
    name: 'read its memory across',
    program: both(`my $to = "\\0" x 8; my $l = pack('PQ', $to, 8); my $r = pack('QQ', 0x1000, 8);
      my $n = syscall($x86 ? 310 : 270, $pid, $l, 1, $r, 1, 0); $n >= 0 || $! == 14`),
    holder: 'Operation not permitted',
  },
  {
    name: 'take a descriptor of it',
    program: both('my $p = syscall(434, $pid, 0); $p >= 0 && syscall(438, $p, 1, 0) >= 0'),
    holder: 'Operation not permitted',
  },
];
