import type { PinnedFile } from './pinned-file.ts';

/** An archive that suites pin, laid at `/opt/archives/<name>`: one executable file, or a folder of what it holds. */
export interface SuiteArchive extends PinnedFile {
  readonly name: string;
  readonly unpack: 'none' | 'tar' | 'tar.gz' | 'tar.xz';
  /** Leading parts that every path of a tar loses. */
  readonly strip: number;
}
