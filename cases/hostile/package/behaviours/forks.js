import { runPerl } from './perl.js';

/** Row 8: children until there are no more; they outlive their parent. */
export default function forks() {
  runPerl(`
    $| = 1;
    my $count = 0;
    while ($count < 5000) {
      my $pid = fork();
      if (!defined $pid) { print 'refused after ', $count, "\\n"; exit 0 }
      if ($pid == 0) { close STDOUT; close STDERR; sleep 600; exit 0 }
      $count += 1;
    }
    print "never refused\\n";
  `);
}
