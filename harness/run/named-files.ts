import { toBoxPath } from '../document/box-path.ts';
import type { Snapshot } from '../engine/engine.ts';
import type { CompiledStep } from '../suite/compiled.ts';
import type { NamedFile } from '../suite/observation.ts';
import { BoxFiles, type FoundFile, type ListedFile } from './box-files.ts';

/** What a launch does without PATH in the environment of its step: `exec_paths` of the holder. */
const PATH_WITHOUT_ENVIRONMENT = '/bin:/usr/bin';

/**
 * The files that the words of a step's command name: the first as the launch finds its program, the others where
 * they are the path of a regular file. Told from outside, before the step starts: of the image by its inventory,
 * with which the loaded image is compared before and after the run, of the writable places by their listing.
 *
 * The first word always has an answer; null where it names no file that is listed.
 */
export function findNamedFiles(
  step: Pick<CompiledStep, 'argv' | 'cwd' | 'env'>,
  place: {
    readonly image: ReadonlyMap<string, ListedFile>;
    readonly laid: Snapshot;
    readonly exec: boolean;
  },
): readonly NamedFile[] {
  const [program = '', ...words] = step.argv;
  const files = new BoxFiles(place);
  const named = words.flatMap((word, index): readonly NamedFile[] => {
    const found = files.find(fromFolder(step.cwd, toText(word)));
    return found.kind === 'entry' && found.file.kind === 'file'
      ? [{ word: index + 1, file: toNamed(found) }]
      : [];
  });
  const found = findProgram(toText(program), step, files);
  return [{ word: 0, file: found === null ? null : toNamed(found) }, ...named];
}

/** As `exec_step` of the holder: a name with a slash is a path, any other is looked for in each folder of PATH. */
function findProgram(
  name: string,
  { cwd, env }: Pick<CompiledStep, 'cwd' | 'env'>,
  files: BoxFiles,
): FoundFile | null {
  if (name === '') return null;
  const folders = toText(env['PATH'] ?? PATH_WITHOUT_ENVIRONMENT).split(':');
  const paths = name.includes('/') ? [name] : folders.map((folder) => `${folder || '.'}/${name}`);
  for (const path of paths) {
    const found = files.find(fromFolder(cwd, path));
    if (found.kind === 'unlisted') return null;
    if (found.kind === 'entry' && files.mayRun(found)) return found;
  }
  return null;
}

function fromFolder(cwd: string, path: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

function toText(word: string): string {
  return toBoxPath(Buffer.from(word, 'utf8'));
}

function toNamed({ path, file: { mode, sizeBytes, sha256 } }: FoundFile): NamedFile['file'] {
  return { path, mode, sizeBytes, sha256 };
}
