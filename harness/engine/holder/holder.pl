# The holder: process 1 of a box, parent of everything a candidate runs there.
#
# It is laid into the base layer and started by the engine as `perl holder.pl ARCH DEADLINE_MS [CONTROL_FD]`
# with the engine's control stream on fd 0 (or CONTROL_FD, which becomes 0) and its frames on fd 1. It is in
# Perl because a Perl from a pinned Debian package starts in 3 ms on every architecture; it uses builtins only, since the layer
# carries the interpreter and no module (so neither `use strict` nor POSIX).
#
# What the candidate, running as the same user, must not be able to do:
#  - signal it: the kernel drops signals from inside a pid namespace to its process 1 unless they are
#    handled; so no handler is ever installed, and SIGCHLD is taken from a signalfd;
#  - read its memory or its descriptors: it is non-dumpable before the first fork;
#  - block it: every descriptor it waits on is non-blocking, every buffer is bounded;
#  - forge its frames: fd 0 and 1 are replaced in the child before anything else happens there.
#
# The frame numbers are those of protocol.ts; a test compares the two files.

my ($arch, $deadline_ms, $control_fd) = @ARGV;

my %TABLES = (
  x86_64 => {
    close => 3, rt_sigaction => 13, rt_sigprocmask => 14, execve => 59, setsid => 112, prctl => 157,
    clock_gettime => 228, exit_group => 231, mknodat => 259, utimensat => 280, signalfd4 => 289, dup3 => 292,
    O_NOFOLLOW => 0400000,
  },
  aarch64 => {
    mknodat => 33, dup3 => 24, close => 57, signalfd4 => 74, exit_group => 94, clock_gettime => 113,
    utimensat => 88, rt_sigaction => 134, rt_sigprocmask => 135, setsid => 157, prctl => 167, execve => 221,
    O_NOFOLLOW => 0100000,
  },
);
my %SYS = %{ $TABLES{$arch || ''} || die "holder: architecture: expected x86_64 or aarch64\n" };
die "holder: deadline: expected milliseconds\n" unless defined $deadline_ms && $deadline_ms =~ /\A[0-9]{1,12}\z/;
# kill(-1) below would end the whole machine in any other place.
die "holder: pid: expected 1\n" unless $$ == 1;

my %COMMAND = (
  START => 0x01, STDIN => 0x02, CLOSE_STDIN => 0x03, CLOSE_OUTPUT => 0x04, SIGNAL => 0x05, FREEZE => 0x06,
  KILL_ALL => 0x07, DIRECTORY => 0x08, FILE_OPEN => 0x09, FILE_DATA => 0x0a, FILE_CLOSE => 0x0b,
  SYMLINK => 0x0c, FIFO => 0x0d, FLUSH => 0x0e, QUIT => 0x0f, SOCKET => 0x10, SPARSE => 0x11, TIMES => 0x12,
  REMOVE => 0x13,
);
my %EVENT = (
  READY => 0x41, STARTED => 0x42, NOT_STARTED => 0x43, CHUNK => 0x44, EOF => 0x45, ENDED => 0x46,
  STDIN_TAKEN => 0x47, STDIN_BROKEN => 0x48, FROZEN => 0x49, KILLED => 0x4a, FLUSHED => 0x4b, FAULT => 0x4f,
);
my $PROTOCOL_VERSION = 1;
my $MAX_FRAME_BYTES = 4 << 20;      # a start frame holds argv and env; the kernel's own limit is 2 MiB
my $READ_BYTES = 256 << 10;         # a pipe holds 64 KiB; the control stream may hold more
my $HIGH_WATER_BYTES = 1 << 20;     # beyond it the candidate waits on its own full pipe
my $MAX_STEPS = 64;                 # steps whose streams are still open
my $FREEZE_SECONDS = 1;             # one in an uninterruptible wait does not stop, nor does it do anything
my $KILL_ALL_SECONDS = 5;           # a process that survives SIGKILL so long sits in the kernel

my ($ENOENT, $EINTR, $EAGAIN, $EEXIST, $EBUSY) = (2, 4, 11, 17, 16);
my ($AT_FDCWD, $AT_SYMLINK_NOFOLLOW, $S_IFIFO, $S_IFSOCK) = (-100, 0x100, 0010000, 0140000);
my ($O_WRONLY, $O_CREAT, $O_EXCL, $O_TRUNC, $O_NONBLOCK) = (1, 0100, 0200, 01000, 04000);
my ($F_SETFL, $WNOHANG, $SIGCHLD, $SIGKILL, $SIGSTOP) = (4, 1, 17, 9, 19);
my ($PR_GET_DUMPABLE, $PR_SET_DUMPABLE) = (3, 4);

my $inbox = '';
my $outbox = '';
my %steps;
my %file = (errno => 0, ordinal => 0, failed => 0, handle => undef);

sub now {
  my $time = "\0" x 16;
  syscall($SYS{clock_gettime}, 1, $time);
  my ($seconds, $nanoseconds) = unpack('qq', $time);
  return $seconds + $nanoseconds / 1e9;
}

sub leave {
  my ($code) = @_;
  kill($SIGKILL, -1);
  syscall($SYS{exit_group}, $code);
}

sub emit {
  my ($kind, $payload) = @_;
  $outbox .= pack('CN', $EVENT{$kind}, length $payload) . $payload;
}

sub fault {
  my ($text) = @_;
  emit('FAULT', $text);
  syswrite(STDOUT, $outbox);
  leave(125);
}

sub again { return $! == $EAGAIN || $! == $EINTR }

# ---- start of a step ------------------------------------------------------------------------------

sub take_string {
  my ($payload, $offset) = @_;
  my $size = unpack('N', substr($$payload, $$offset, 4));
  fault('start: string beyond frame') if !defined $size || $$offset + 4 + $size > length $$payload;
  my $text = substr($$payload, $$offset + 4, $size);
  $$offset += 4 + $size;
  return $text;
}

sub take_list {
  my ($payload, $offset) = @_;
  my $count = unpack('N', substr($$payload, $$offset, 4));
  fault('start: list without a count') unless defined $count;
  $$offset += 4;
  return map { take_string($payload, $offset) } 1 .. $count;
}

sub parse_start {
  my ($payload) = @_;
  my ($id, $open_stdin) = unpack('NC', $payload);
  my $offset = 5;
  my %step = (id => $id, open_stdin => $open_stdin);
  $step{cwd} = take_string(\$payload, \$offset);
  $step{files} = [take_string(\$payload, \$offset), take_string(\$payload, \$offset)];
  $step{argv} = [take_list(\$payload, \$offset)];
  $step{env} = [take_list(\$payload, \$offset)];
  return \%step;
}

sub not_started { my ($id, $errno) = @_; emit('NOT_STARTED', pack('NN', $id, $errno)) }

sub start_step {
  my $step = parse_start($_[0]);
  my $id = $step->{id};
  return not_started($id, $EBUSY) if $steps{$id} || keys %steps >= $MAX_STEPS;
  my (@read, @write);
  for my $index (0 .. 3) {
    pipe($read[$index], $write[$index]) || return not_started($id, $! + 0);
  }
  # Before the fork, so that a closed stdin is at its end when the candidate first looks.
  close $write[0] unless $step->{open_stdin};
  my $pid = fork;
  return not_started($id, $! + 0) unless defined $pid;
  run_child($step, [$read[0], $write[1], $write[2]], $write[3]) if $pid == 0;
  # Only the holder's ends, each its own file description: the candidate's ends stay blocking.
  fcntl($_, $F_SETFL, $O_NONBLOCK) for @read[1 .. 3], $step->{open_stdin} ? $write[0] : ();
  my $input = $step->{open_stdin} ? { handle => $write[0], buffer => '', taken => 0, closing => 0 } : undef;
  $steps{$id} = {
    id => $id, pid => $pid, starting => $read[3], report => '', status => undef, input => $input,
    outputs => { 1 => $read[1], 2 => $read[2] },
  };
}

# ---- the child, between fork and exec -------------------------------------------------------------

sub give_up {
  my ($report, $errno) = @_;
  syswrite($report, pack('CN', 2, $errno));
  syscall($SYS{exit_group}, 127);
}

sub open_output {
  my ($path, $report) = @_;
  # O_NONBLOCK so that a FIFO without a reader is an error and not a wait; cleared again afterwards.
  my $flags = $O_WRONLY | $O_CREAT | $O_TRUNC | $O_NONBLOCK | $SYS{O_NOFOLLOW};
  sysopen(my $handle, $path, $flags, 0666) || give_up($report, $! + 0);
  fcntl($handle, $F_SETFL, 0);
  return $handle;
}

sub reset_signals {
  my $action = "\0" x 64;             # SIG_DFL, no flags, empty mask
  my $mask = "\0" x 8;
  for my $signal (1 .. 64) {
    syscall($SYS{rt_sigaction}, $signal, $action, 0, 8) if $signal != $SIGKILL && $signal != $SIGSTOP;
  }
  syscall($SYS{rt_sigprocmask}, 2, $mask, 0, 8);
}

# The memory cgroup shall end the candidate and not its parent. The file belongs to root while the
# process is non-dumpable; nothing of the holder is left in the descriptors by then.
sub prefer_as_oom_victim {
  my ($report) = @_;
  syscall($SYS{prctl}, $PR_SET_DUMPABLE, 1, 0, 0, 0);
  my $handle;
  return if sysopen($handle, '/proc/self/oom_score_adj', $O_WRONLY) && syswrite($handle, '1000');
  syswrite($report, pack('CN', 1, $! + 0));
}

sub exec_paths {
  my ($step) = @_;
  my $name = $step->{argv}[0];
  return ($name) if $name =~ m{/};
  my ($path) = map { /\APATH=(.*)\z/s ? $1 : () } @{ $step->{env} };
  $path = '/bin:/usr/bin' unless defined $path;
  return map { ($_ eq '' ? '.' : $_) . "/$name" } split(/:/, $path, -1);
}

# execve itself, not the C library's execvp: that one would run a file without a shebang by /bin/sh.
sub exec_step {
  my ($step, $report) = @_;
  my $argv = pack('p*', @{ $step->{argv} }) . "\0" x 8;
  my $envp = pack('p*', @{ $step->{env} }) . "\0" x 8;
  my $errno = 2;
  my @paths = exec_paths($step);
  for my $path (@paths) {
    syscall($SYS{execve}, $path, $argv, $envp);
    my $reason = $! + 0;
    give_up($report, $reason) if @paths == 1;
    next if $reason == 2 || $reason == 20;     # ENOENT, ENOTDIR: the next folder of PATH
    $errno = $reason;
    last if $reason != 13;                     # EACCES: remembered, the search goes on
  }
  give_up($report, $errno);
}

sub run_child {
  my ($step, $stdio, $report) = @_;
  for my $fd (0 .. 2) {
    syscall($SYS{dup3}, fileno($stdio->[$fd]), $fd, 0) < 0 && give_up($report, $! + 0);
  }
  for my $other (values %steps) {
    close $_ for grep { defined } $other->{starting}, $other->{input} && $other->{input}{handle},
      values %{ $other->{outputs} };
  }
  syscall($SYS{setsid});
  umask 022;
  chdir($step->{cwd}) || give_up($report, $! + 0);
  my ($out, $err) = @{ $step->{files} };
  my $out_handle = $out eq '' ? undef : open_output($out, $report);
  my $err_handle = $err eq '' ? undef : $err eq $out ? $out_handle : open_output($err, $report);
  syscall($SYS{dup3}, fileno($out_handle), 1, 0) if $out_handle;
  syscall($SYS{dup3}, fileno($err_handle), 2, 0) if $err_handle;
  prefer_as_oom_victim($report);
  reset_signals();
  exec_step($step, $report);
}

# ---- life of a step -------------------------------------------------------------------------------

# The pipe `starting` closes at exec; bytes in it say what went wrong before.
sub hear_start {
  my ($step) = @_;
  my $count = sysread($step->{starting}, my $bytes, 64);
  return if !defined $count && again();
  if ($count) { $step->{report} .= $bytes; return }
  close $step->{starting};
  $step->{starting} = undef;
  my ($oom_errno, $start_errno) = (0, 0);
  for (my $offset = 0; $offset + 5 <= length $step->{report}; $offset += 5) {
    my ($kind, $errno) = unpack('CN', substr($step->{report}, $offset, 5));
    $kind == 1 ? ($oom_errno = $errno) : ($start_errno = $errno);
  }
  if ($start_errno) {
    not_started($step->{id}, $start_errno);
    return forget($step);
  }
  emit('STARTED', pack('NNN', $step->{id}, $step->{pid}, $oom_errno));
  tell_end($step) if defined $step->{status};
}

# What the process wrote before it ended lies in its pipes by now and is told first; one read empties a pipe.
sub tell_end {
  my ($step) = @_;
  for my $stream (1, 2) { relay($step, $stream) if $step->{outputs}{$stream} }
  emit('ENDED', pack('NN', $step->{id}, $step->{status}));
  forget_when_done($step);
}

sub forget {
  my ($step) = @_;
  delete $steps{ $step->{id} };
}

sub forget_when_done {
  my ($step) = @_;
  return if !defined $step->{status} || $step->{starting} || $step->{input} || %{ $step->{outputs} };
  forget($step);
}

sub relay {
  my ($step, $stream) = @_;
  my $count = sysread($step->{outputs}{$stream}, my $bytes, $READ_BYTES);
  return if !defined $count && again();
  if ($count) {
    $outbox .= pack('CNNC', $EVENT{CHUNK}, $count + 5, $step->{id}, $stream) . $bytes;
    return;
  }
  emit('EOF', pack('NC', $step->{id}, $stream));
  close_output($step, $stream);
}

sub close_output {
  my ($step, $stream) = @_;
  my $handle = delete $step->{outputs}{$stream};
  close $handle if $handle;
  forget_when_done($step);
}

sub feed {
  my ($step) = @_;
  my $input = $step->{input};
  if (length $input->{buffer}) {
    my $count = syswrite($input->{handle}, $input->{buffer});
    return if !defined $count && again();
    if (!defined $count) {
      emit('STDIN_BROKEN', pack('N', $step->{id}));
      return close_input($step);
    }
    substr($input->{buffer}, 0, $count, '');
    $input->{taken} += $count;
    emit('STDIN_TAKEN', pack('NQ>', $step->{id}, $input->{taken}));
  }
  close_input($step) if $input->{closing} && !length $input->{buffer};
}

sub close_input {
  my ($step) = @_;
  close $step->{input}{handle} if $step->{input};
  $step->{input} = undef;
  forget_when_done($step);
}

sub reap {
  my $reaped = 0;
  while ((my $pid = waitpid(-1, $WNOHANG)) > 0) {
    my $status = $?;
    $reaped++;
    for my $step (@{ [grep { !defined $_->{status} && $_->{pid} == $pid } values %steps] }) {
      $step->{status} = $status;
      tell_end($step) unless $step->{starting};
    }
  }
  return $reaped;
}

sub kill_all {
  my ($reaped, $until) = (0, now() + $KILL_ALL_SECONDS);
  my $alive = 1;
  while ($alive && now() < $until) {
    kill($SIGKILL, -1);
    $reaped += reap();
    # A zombie's children are ours before it is: no child left means no process left.
    $alive = waitpid(-1, $WNOHANG) == 0;
    select(undef, undef, undef, 0.001) if $alive;
  }
  emit('KILLED', pack('NC', $reaped, $alive ? 0 : 1));
}

sub states {
  opendir(my $procfs, '/proc') || return ();
  my @states;
  for my $pid (grep { /\A[0-9]+\z/ && $_ != 1 } readdir $procfs) {
    open(my $handle, '<', "/proc/$pid/stat") || next;
    sysread($handle, my $stat, 4096) || next;
    push @states, $1 if $stat =~ /.*\) (\S)/s;
  }
  return @states;
}

# The signal is given to all in one step, but one that runs on another processor stops a moment later.
sub freeze {
  my $until = now() + $FREEZE_SECONDS;
  kill($SIGSTOP, -1);
  select(undef, undef, undef, 0.001) while now() < $until && grep { !/[TtZXx]/ } states();
  emit('FROZEN', '');
}

# ---- files laid into the writable mounts before a candidate runs -----------------------------------

sub note_file {
  my ($worked) = @_;
  $file{ordinal}++;
  return if $worked || $file{errno};
  $file{errno} = $! + 0 || 5;
  $file{failed} = $file{ordinal} - 1;
}

# A folder that is there (a mount point) keeps its entry and takes the mode.
sub make_directory {
  my ($mode, $path) = @_;
  return chmod($mode, $path) if mkdir($path, 0700) || ($! == $EEXIST && !-l $path && -d _);
  return 0;
}

sub open_file {
  my ($mode, $path) = @_;
  my $flags = $O_WRONLY | $O_CREAT | $O_EXCL | $SYS{O_NOFOLLOW};
  $file{handle} = undef;
  return 0 unless sysopen(my $handle, $path, $flags, 0600);
  $file{handle} = $handle;
  return chmod($mode, $handle);
}

sub write_file {
  my ($bytes) = @_;
  return unless $file{handle};
  for (my $offset = 0; $offset < length $bytes;) {
    my $count = syswrite($file{handle}, $bytes, length($bytes) - $offset, $offset);
    next if !defined $count && $! == $EINTR;
    return abandon_file() unless $count;
    $offset += $count;
  }
}

# The entry was counted when it was opened, so its own ordinal is one less than the count.
sub abandon_file {
  $file{handle} = undef;
  return if $file{errno};
  $file{errno} = $! + 0 || 5;
  $file{failed} = $file{ordinal} - 1;
}

sub make_node {
  my ($type, $mode, $path) = @_;
  my $made = syscall($SYS{mknodat}, $AT_FDCWD, $path, $type | 0600, 0);
  return $made == 0 && chmod($mode, $path);
}

sub make_sparse {
  my ($mode, $size, $path) = @_;
  my $made = open_file($mode, $path) && truncate($file{handle}, $size);
  $file{handle} = undef;
  return $made;
}

# Of the entry itself, a link included.
sub set_times {
  my ($seconds, $nanoseconds, $path) = @_;
  my $times = pack('qqqq', $seconds, $nanoseconds, $seconds, $nanoseconds);
  return syscall($SYS{utimensat}, $AT_FDCWD, $path, $times, $AT_SYMLINK_NOFOLLOW) == 0;
}

# The entry and what lies below it; no link is followed. What is not there needs no removing.
sub remove_tree {
  my ($path) = @_;
  return unlink($path) || $! == $ENOENT if -l $path || !-d _;
  chmod(0700, $path) || return 0;
  opendir(my $folder, $path) || return 0;
  for my $name (grep { $_ ne '.' && $_ ne '..' } readdir $folder) { remove_tree("$path/$name") || return 0 }
  closedir $folder;
  return rmdir($path);
}

sub flush_files {
  emit('FLUSHED', pack('NN', $file{errno}, $file{failed}));
  %file = (errno => 0, ordinal => 0, failed => 0, handle => undef);
}

# ---- commands -------------------------------------------------------------------------------------

sub with_step { my ($payload, $action) = @_; my $step = $steps{ unpack('N', $payload) }; $action->($step) if $step }

my %OBEY = (
  $COMMAND{START} => \&start_step,
  $COMMAND{STDIN} => sub {
    my $bytes = substr($_[0], 4);
    with_step($_[0], sub { $_[0]{input}{buffer} .= $bytes if $_[0]{input} });
  },
  $COMMAND{CLOSE_STDIN} => sub { with_step($_[0], sub { $_[0]{input} && ($_[0]{input}{closing} = 1) && feed($_[0]) }) },
  $COMMAND{CLOSE_OUTPUT} => sub {
    my $stream = unpack('x4C', $_[0]);
    with_step($_[0], sub { close_output($_[0], $stream) });
  },
  $COMMAND{SIGNAL} => sub {
    my $signal = unpack('x4C', $_[0]);
    # Only while it is unreaped: its number cannot have gone to another process.
    with_step($_[0], sub { kill($signal, $_[0]{pid}) unless defined $_[0]{status} });
  },
  $COMMAND{FREEZE} => \&freeze,
  $COMMAND{KILL_ALL} => \&kill_all,
  $COMMAND{DIRECTORY} => sub { note_file(make_directory(unpack('Na*', $_[0]))) },
  $COMMAND{FILE_OPEN} => sub { note_file(open_file(unpack('Na*', $_[0]))) },
  $COMMAND{FILE_DATA} => sub { write_file($_[0]) },
  $COMMAND{FILE_CLOSE} => sub { $file{handle} = undef },
  $COMMAND{SYMLINK} => sub { note_file(symlink(take_string(\$_[0], \(my $at = 0)), substr($_[0], 4 + unpack('N', $_[0])))) },
  $COMMAND{FIFO} => sub { note_file(make_node($S_IFIFO, unpack('Na*', $_[0]))) },
  $COMMAND{SOCKET} => sub { note_file(make_node($S_IFSOCK, unpack('Na*', $_[0]))) },
  $COMMAND{SPARSE} => sub { note_file(make_sparse(unpack('NQ>a*', $_[0]))) },
  $COMMAND{TIMES} => sub { note_file(set_times(unpack('q>Na*', $_[0]))) },
  $COMMAND{REMOVE} => sub { note_file(remove_tree($_[0])) },
  $COMMAND{FLUSH} => \&flush_files,
  $COMMAND{QUIT} => sub { leave(0) },
);

sub hear_control {
  my $count = sysread(STDIN, $inbox, $READ_BYTES, length $inbox);
  return if !defined $count && again();
  leave(125) unless $count;            # the driver is gone: closed, or reset by its death
  while (length $inbox >= 5) {
    my ($kind, $size) = unpack('CN', $inbox);
    fault("frame: size $size") if $size > $MAX_FRAME_BYTES;
    return if length $inbox < 5 + $size;
    my $obey = $OBEY{$kind} || fault("frame: kind $kind");
    my $payload = substr($inbox, 5, $size);
    substr($inbox, 0, 5 + $size, '');
    $obey->($payload);
  }
}

sub send_frames {
  my $count = syswrite(STDOUT, $outbox, $HIGH_WATER_BYTES);
  return substr($outbox, 0, $count, '') if defined $count;
  leave(125) unless again();
}

# ---- start and loop -------------------------------------------------------------------------------

my $deadline = now() + $deadline_ms / 1000;
if (defined $control_fd) {
  die "holder: control: expected a descriptor\n" unless $control_fd =~ /\A[0-9]{1,3}\z/;
  die "holder: control: $!\n" if syscall($SYS{dup3}, $control_fd + 0, 0, 0) < 0;
}
# What an engine may have leaked into us would otherwise reach the candidate. Leaks sit at low numbers.
syscall($SYS{close}, $_) for 3 .. 255;
syscall($SYS{prctl}, $PR_SET_DUMPABLE, 0, 0, 0, 0);
die "holder: dumpable: expected 0\n" unless syscall($SYS{prctl}, $PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
$SIG{PIPE} = 'IGNORE';
my $child_mask = pack('Q', 1 << ($SIGCHLD - 1));
die "holder: signal mask: $!\n" if syscall($SYS{rt_sigprocmask}, 0, $child_mask, 0, 8) != 0;
my $signal_fd = syscall($SYS{signalfd4}, -1, $child_mask, 8, $O_NONBLOCK | 02000000);
die "holder: signalfd: $!\n" if $signal_fd < 0;
open(my $children, '<&=', $signal_fd) || die "holder: signalfd: $!\n";
fcntl(STDOUT, $F_SETFL, $O_NONBLOCK) || die "holder: stdout: $!\n";
umask 0;
emit('READY', pack('NN', $PROTOCOL_VERSION, $$));

while (1) {
  my $left = $deadline - now();
  leave(124) if $left <= 0;
  my ($readable, $writable) = ('', '');
  vec($readable, $_, 1) = 1 for 0, $signal_fd;
  vec($writable, 1, 1) = 1 if length $outbox;
  for my $step (values %steps) {
    if ($step->{starting}) { vec($readable, fileno($step->{starting}), 1) = 1; next }
    if (length $outbox < $HIGH_WATER_BYTES) { vec($readable, fileno($_), 1) = 1 for values %{ $step->{outputs} } }
    vec($writable, fileno($step->{input}{handle}), 1) = 1 if $step->{input} && length $step->{input}{buffer};
  }
  next if select($readable, $writable, undef, $left) < 0;
  send_frames() if vec($writable, 1, 1);
  for my $step (@{ [values %steps] }) {
    if ($step->{starting}) { hear_start($step) if vec($readable, fileno($step->{starting}), 1); next }
    for my $stream (1, 2) {
      my $handle = $step->{outputs}{$stream} || next;
      relay($step, $stream) if vec($readable, fileno($handle), 1);
    }
    feed($step) if $step->{input} && vec($writable, fileno($step->{input}{handle}), 1);
  }
  if (vec($readable, $signal_fd, 1)) { sysread($children, my $ignored, 4096); reap() }
  hear_control() if vec($readable, 0, 1);
}
