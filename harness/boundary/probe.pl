# The probe: tries from inside a box everything that its boundary must refuse, and reports what happened.
#
# It runs as the box's user, in a box that never holds a candidate, as
#   /.packproof/perl /.packproof/probe.pl        with its orders on stdin
# and writes one JSON line for each order to stdout, then a closing line with their count. An order is
#   ID <tab> OPERATION <tab> ARGUMENT...         with %XX for the bytes of tab, newline and percent
# It knows no boundary: what is tried comes from trials.ts, what is expected stays with the comparison,
# so that nothing in a box can be told which answer would please. Builtins only: the image carries the
# interpreter and no module.
#
# Orders that could end or change the process run in a worker; a worker that is killed is replaced, and the
# order that killed it is reported as killed.

my ($EINVAL, $ENOEXEC, $SIGSYS, $SIGSEGV, $SIGILL, $SIGKILL, $SIGCHLD) = (22, 8, 31, 11, 4, 9, 17);
my ($O_WRONLY, $O_RDWR, $O_CREAT, $O_EXCL, $O_NONBLOCK) = (1, 2, 0100, 0200, 04000);
my $MAX_TEXT_BYTES = 256 << 10;     # a mount table of 40 lines has 5 KiB
my $MAX_WALKED = 200_000;           # entries of the image and the mounts together
my $PAGE_BYTES = 4096;

my %MACHINE = (
  62 => { name => 'x86_64', exit_group => 231, clone => 56, mprotect => 10, mmap => 9, fallocate => 285, statfs => 137 },
  183 => { name => 'aarch64', exit_group => 94, clone => 220, mprotect => 226, mmap => 222, fallocate => 47, statfs => 43 },
);

# The numbers of one architecture are other calls on another, so the interpreter's own header decides.
open(my $self, '<:raw', '/proc/self/exe') or die "probe: cannot read its own program\n";
read($self, my $header, 20) == 20 or die "probe: cannot read its own program\n";
close $self;
my $sys = $MACHINE{ unpack('x18 v', $header) } || die "probe: unknown architecture\n";

$SIG{XFSZ} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';

my @orders;
while (my $line = <STDIN>) {
  chomp $line;
  my ($id, $operation, @arguments) = map { s/%([0-9a-f]{2})/chr hex $1/gier } split /\t/, $line, -1;
  push @orders, { id => $id, operation => $operation, arguments => \@arguments };
}
die "probe: no orders\n" unless @orders;
my $architecture = shift @orders;
die "probe: orders are for another architecture\n" unless $architecture->{operation} eq $sys->{name};

my %facts = (
  text => \&tell_text, descriptors => \&tell_descriptors, link => \&tell_link, devices => \&tell_devices,
  environment => \&tell_environment, zone => \&tell_zone, space => \&tell_space, walk => \&tell_walk,
);
my %acts = (
  call => \&try_call, lone => \&try_lone_call, clone => \&try_clone, machine => \&try_machine_code, create => \&try_create,
  open => \&try_open, read => \&try_read, chmod => \&try_chmod, exec => \&try_exec, map => \&try_map,
  fill => \&try_fill, grow => \&try_grow, connect => \&try_connect, loopback => \&try_loopback,
  crash => \&try_crash, signal => \&try_signal, tasks => \&try_tasks,
);

my $written = 0;
my $next = 0;
while ($next < @orders) {
  my $order = $orders[$next];
  if (my $tell = $facts{ $order->{operation} }) {
    report($order->{id}, $tell->(@{ $order->{arguments} }));
    $next++;
  } else {
    $next = run_worker($next);
  }
}
write_all('{"done":' . scalar(@orders) . ',"architecture":"' . $sys->{name} . "\"}\n");
exit 0;

# Runs orders from $first on in a child until the next fact. Gives the index of the first order not done.
sub run_worker {
  my ($first) = @_;
  my $last = $first;
  $last++ while $last < @orders && !$facts{ $orders[$last]{operation} };
  pipe(my $progress, my $announce) or die "probe: pipe\n";
  my $child = fork;
  die "probe: fork\n" unless defined $child;
  if (!$child) {
    close $progress;
    for my $index ($first .. $last - 1) {
      syswrite($announce, pack('V', $index));
      my $try = $acts{ $orders[$index]{operation} };
      report($orders[$index]{id}, $try ? $try->(@{ $orders[$index]{arguments} }) : refused($EINVAL));
    }
    syscall($sys->{exit_group}, 0);
  }
  close $announce;
  my $seen = '';
  1 while sysread($progress, $seen, 4096, length $seen);
  waitpid($child, 0);
  return $last if $? == 0;
  my $index = length $seen ? unpack('V', substr($seen, -4)) : $first;
  report($orders[$index]{id}, killed($? & 127));
  return $index + 1;
}

sub allowed { return '"outcome":"allowed"' }
sub empty { return '"outcome":"empty"' }
sub no_effect { return '"outcome":"no-effect"' }
sub refused { return '"outcome":"refused","errno":' . (0 + $_[0]) }
sub killed { return '"outcome":"killed","signal":' . (0 + $_[0]) }
sub not_exercisable { return '"outcome":"not-exercisable","reason":' . quote($_[0]) }
sub outcome { return $_[0] ? allowed() : refused($_[1]) }
sub told { return '"text":' . quote($_[0]) }

sub quote {
  my ($text) = @_;
  $text =~ s/([\x00-\x1f"\\\x7f-\xff])/sprintf '\\u%04x', ord $1/ge;
  return "\"$text\"";
}

sub report {
  my ($id, $rest) = @_;
  write_all('{"id":' . quote($id) . ",$rest}\n");
}

sub write_all {
  my ($bytes) = @_;
  while (length $bytes) {
    my $count = syswrite(STDOUT, $bytes);
    syscall($sys->{exit_group}, 3) unless defined $count;
    substr($bytes, 0, $count, '');
  }
}

# ---- facts: what the kernel shows this user ----

sub tell_text {
  my ($path) = @_;
  open(my $file, '<:raw', $path) or return refused($!);
  my $text = '';
  1 while length $text < $MAX_TEXT_BYTES && sysread($file, $text, $MAX_TEXT_BYTES - length $text, length $text);
  return told($text);
}

# Number and kind of each descriptor; the one that lists them is left out.
sub tell_descriptors {
  opendir(my $folder, '/proc/self/fd') or return refused($!);
  my $own = "/proc/$$/fd";
  my @found;
  for my $name (sort { $a <=> $b } grep { /\A[0-9]+\z/ } readdir $folder) {
    my $target = readlink("/proc/self/fd/$name");
    push @found, "$name $target" if defined $target && $target ne $own;
  }
  return told(join "\n", @found);
}

sub tell_link {
  my $target = readlink($_[0]);
  return defined $target ? told($target) : refused($!);
}

# Every entry below a folder: kind, device numbers, path.
sub tell_devices {
  my @folders = @_;
  my @found;
  while (defined(my $folder = shift @folders)) {
    opendir(my $handle, $folder) or return refused($!);
    for my $name (sort grep { $_ ne '.' && $_ ne '..' } readdir $handle) {
      my ($mode, $rdev) = (lstat "$folder/$name")[2, 6];
      my $kind = defined $mode ? kind_of($mode) : 'unknown';
      my $major_minor = $kind =~ /device/ ? join(':', ($rdev >> 8) & 0xfff, $rdev & 0xff) : '-';
      push @found, "$kind $major_minor $folder/$name";
      push @folders, "$folder/$name" if $kind eq 'directory';
    }
  }
  return told(join "\n", @found);
}

sub kind_of {
  my %kinds = (
    0140000 => 'socket', 0120000 => 'symlink', 0100000 => 'file', 0060000 => 'block-device',
    0040000 => 'directory', 0020000 => 'character-device', 0010000 => 'fifo',
  );
  return $kinds{ $_[0] & 0170000 } || 'unknown';
}

sub tell_environment {
  return told(join "\0", map { "$_=$ENV{$_}" } sort keys %ENV);
}

# Seconds by which local time differs from UTC, in winter and in summer.
sub tell_zone {
  my @seconds = map { my @l = localtime $_; my @g = gmtime $_; "@l" eq "@g" ? 0 : 1 } (1_704_067_200, 1_719_792_000);
  return told("@seconds");
}

# Size and inodes of the file system at a path, as the kernel counts them.
sub tell_space {
  my ($path) = @_;
  my $buffer = "\0" x 256;
  return refused($!) if syscall($sys->{statfs}, $path, $buffer) != 0;
  my ($type, $block_bytes, $blocks, $free, $available, $inodes) = unpack 'q6', $buffer;
  return told($blocks * $block_bytes . " $inodes");
}

# Sockets and programs with set-id bits below the roots, but for what the skipped prefixes hold.
sub tell_walk {
  my ($root, @skipped) = @_;
  my %skip = map { $_ => 1 } @skipped;
  my @folders = ($root);
  my @found;
  my $count = 0;
  while (defined(my $folder = shift @folders)) {
    opendir(my $handle, $folder) or next;
    my $prefix = $folder eq '/' ? '' : $folder;
    for my $name (readdir $handle) {
      next if $name eq '.' || $name eq '..' || $skip{"$prefix/$name"};
      my $mode = (lstat "$prefix/$name")[2];
      return refused($EINVAL) if ++$count > $MAX_WALKED;
      next unless defined $mode;
      push @found, "socket $prefix/$name" if ($mode & 0170000) == 0140000;
      push @found, "set-id $prefix/$name" if ($mode & 0170000) == 0100000 && $mode & 06000;
      push @folders, "$prefix/$name" if ($mode & 0170000) == 0040000;
    }
  }
  return told(join "\n", sort @found);
}

# ---- acts: what must be refused, or must work ----

# Arguments: iNUMBER, sTEXT (a C string), zCOUNT (zero bytes), hHEX (bytes).
sub try_call {
  my ($number, @given) = @_;
  my @arguments = map { to_argument($_) } @given;
  local $! = 0;
  my $result = syscall(0 + $number, @arguments);
  return outcome($result != -1, 0 + $!);
}

# A call that would change what the worker is: made by a child that ends with it.
sub try_lone_call {
  my ($number, @given) = @_;
  my @arguments = map { to_argument($_) } @given;
  my $child = fork;
  return refused($!) unless defined $child;
  if (!$child) {
    my $result = syscall(0 + $number, @arguments);
    syscall($sys->{exit_group}, $result == -1 ? 0 + $! : 0);
  }
  waitpid($child, 0);
  return killed($? & 127) if $? & 127;
  return outcome($? == 0, $? >> 8);
}

sub to_argument {
  my ($kind, $text) = (substr($_[0], 0, 1), substr($_[0], 1));
  return 0 + $text if $kind eq 'i';
  return "$text\0" if $kind eq 's';
  return "\0" x $text if $kind eq 'z';
  return pack('H*', $text) if $kind eq 'h';
  die "probe: argument\n";
}

sub try_clone {
  my ($flags) = @_;
  my $child = syscall($sys->{clone}, $flags | $SIGCHLD, 0, 0, 0, 0);
  return refused($!) if $child == -1;
  syscall($sys->{exit_group}, 0) if $child == 0;
  waitpid($child, 0);
  return allowed();
}

# Machine code that leaves by exit_group with the negated result of a foreign call as its status. It is
# the heap of a child that is made executable, so it needs no file and no exec mount.
sub try_machine_code {
  my ($hex) = @_;
  my $code = pack('H*', $hex);
  my $address = unpack('J', pack('p', $code));
  my $child = fork;
  return refused($!) unless defined $child;
  if (!$child) {
    my $page = $address & ~($PAGE_BYTES - 1);
    my $status = syscall($sys->{mprotect}, $page, 2 * $PAGE_BYTES, 7);
    syscall($sys->{exit_group}, 255) if $status != 0;
    DynaLoader::boot_DynaLoader('DynaLoader') unless defined &DynaLoader::dl_install_xsub;
    DynaLoader::dl_install_xsub('main::foreign', $address);
    main::foreign();
    syscall($sys->{exit_group}, 254);
  }
  waitpid($child, 0);
  my ($signal, $status) = ($? & 127, $? >> 8);
  return not_exercisable('kernel-lacks-foreign-architecture') if $signal == $SIGSEGV || $signal == $SIGILL;
  return killed($signal) if $signal;
  return outcome($status == 0, $status);
}

sub try_create {
  my ($path) = @_;
  sysopen(my $file, $path, $O_WRONLY | $O_CREAT | $O_EXCL, 0600) or return refused($!);
  close $file;
  unlink $path;
  return allowed();
}

# Opens only: should it be allowed by mistake, nothing is written.
sub try_open {
  my ($path, $way) = @_;
  sysopen(my $file, $path, ($way eq 'write' ? $O_WRONLY : 0) | $O_NONBLOCK) or return refused($!);
  return allowed();
}

# A covered file reads as empty, a covered folder has no entries.
sub try_read {
  my ($path) = @_;
  if (-d $path) {
    opendir(my $folder, $path) or return refused($!);
    return (grep { $_ ne '.' && $_ ne '..' } readdir $folder) ? allowed() : empty();
  }
  sysopen(my $file, $path, $O_NONBLOCK) or return refused($!);
  my $count = sysread($file, my $bytes, 1);
  return refused($!) unless defined $count;
  return $count ? allowed() : empty();
}

# Sets the mode that is there already: a read-only mount refuses it before anything else is looked at.
sub try_chmod {
  my ($path) = @_;
  my $mode = (lstat $path)[2];
  return refused($!) unless defined $mode;
  return outcome(chmod($mode & 07777, $path), $!);
}

# A script of our own interpreter, executed from the folder.
sub try_exec {
  my ($folder) = @_;
  my $path = "$folder/.packproof-probe-$$";
  open(my $file, '>', $path) or return refused($!);
  print $file "#!/.packproof/perl\nexit 77;\n";
  close $file;
  chmod 0755, $path;
  my $child = fork;
  return refused($!) unless defined $child;
  if (!$child) {
    { exec { $path } $path }
    syscall($sys->{exit_group}, 0 + $!);
  }
  waitpid($child, 0);
  unlink $path;
  return killed($? & 127) if $? & 127;
  return outcome($? >> 8 == 77, $? >> 8);
}

# Maps a file of the folder as code, which needs no exec call.
sub try_map {
  my ($folder) = @_;
  my $path = "$folder/.packproof-probe-$$";
  open(my $file, '+>', $path) or return refused($!);
  unlink $path;
  syswrite($file, "\0" x $PAGE_BYTES);
  my $address = syscall($sys->{mmap}, 0, $PAGE_BYTES, 5, 2, fileno($file), 0);
  return outcome($address != -1, $!);
}

# Asks for one page more than the whole file system holds: a tmpfs refuses that at once.
sub try_fill {
  my ($folder, $bytes) = @_;
  my $path = "$folder/.packproof-probe-$$";
  open(my $file, '+>', $path) or return refused($!);
  unlink $path;
  return outcome(syscall($sys->{fallocate}, fileno($file), 0, 0, 0 + $bytes) == 0, $!);
}

sub try_grow {
  my ($folder, $bytes) = @_;
  my $path = "$folder/.packproof-probe-$$";
  open(my $file, '+>', $path) or return refused($!);
  unlink $path;
  return outcome(truncate($file, $bytes), $!);
}

# Connects without waiting; an address is given packed, so no name is ever looked up.
sub try_connect {
  my ($family, $type, $address) = @_;
  socket(my $socket, $family, $type | $O_NONBLOCK, 0) or return refused($!);
  my $connected = connect($socket, pack('H*', $address));
  return outcome($connected || $! == 115, $!);
}

# The box's own loopback has to work: programs test themselves through it.
sub try_loopback {
  socket(my $server, 2, 1, 0) or return refused($!);
  bind($server, pack('S n C4 x8', 2, 0, 127, 0, 0, 1)) or return refused($!);
  listen($server, 1) or return refused($!);
  socket(my $client, 2, 1, 0) or return refused($!);
  return outcome(connect($client, getsockname($server)), $!);
}

sub try_crash {
  my $child = fork;
  return refused($!) unless defined $child;
  if (!$child) {
    chdir '/tmp';
    kill SEGV => $$;
    sleep 5;
    syscall($sys->{exit_group}, 0);
  }
  waitpid($child, 0);
  return $? & 128 ? allowed() : no_effect();
}

# Only ever from inside a pid namespace, as nobody: process 1 of a host must not meet this.
sub try_signal {
  my ($pid, $signal) = @_;
  return not_exercisable('root') if $< == 0 || $> == 0;
  return refused($!) unless kill($signal, $pid);
  select undef, undef, undef, 0.001;
  return -e "/proc/$pid" ? no_effect() : allowed();
}

# Forks until refused, at most $most times, and tells how many processes there were at the end.
sub try_tasks {
  my ($most) = @_;
  opendir(my $folder, '/proc') or return refused($!);
  my $running = grep { /\A[0-9]+\z/ } readdir $folder;
  my @children;
  my $errno = 0;
  while (@children < $most) {
    my $child = syscall($sys->{clone}, $SIGCHLD, 0, 0, 0, 0);
    if ($child == -1) { $errno = 0 + $!; last }
    if ($child == 0) { sleep 60; syscall($sys->{exit_group}, 0) }
    push @children, $child;
  }
  kill $SIGKILL, @children if @children;
  waitpid($_, 0) for @children;
  return "\"outcome\":\"counted\",\"count\":" . ($running + @children) . ",\"errno\":$errno";
}
