import { runPerl } from './perl.js';

/** Row 32: says what time it is, then tries to make it another; the third call asks for nothing else. */
export default function clock() {
  console.log(new Date().toISOString());
  runPerl(`
    my @calls = (
      ['clock_settime', 227, 0, pack('q2', 0, 0)], ['settimeofday', 164, pack('q2', 0, 0), 0],
      ['adjtimex', 159, "\\1" . ("\\0" x 255)],
    );
    my %codes = (1 => 'EPERM', 22 => 'EINVAL', 38 => 'ENOSYS');
    for my $call (@calls) {
      my ($name, @arguments) = @$call;
      my $result = syscall($arguments[0], map { /^-?[0-9]+$/ ? $_ + 0 : $_ } @arguments[1 .. $#arguments]);
      my $number = $! + 0;
      print $name, ' ', ($result == -1 ? ($codes{$number} // $number) : 'done'), "\\n";
    }
  `);
}
