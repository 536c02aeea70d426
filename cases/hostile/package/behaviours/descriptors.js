import { runPerl } from './perl.js';

/** Row 28: what is open besides the three streams, of a process that opened nothing. */
export default function descriptors() {
  runPerl(`
    opendir(my $folder, '/proc/self/fd') or die;
    for my $name (sort grep { /^[0-9]+$/ } readdir $folder) {
      my $target = readlink("/proc/self/fd/$name") // 'closed';
      next if $target =~ m{^/proc/[0-9]+/fd$};
      $target =~ s/:.*//;
      print "$name $target\\n";
    }
  `);
}
