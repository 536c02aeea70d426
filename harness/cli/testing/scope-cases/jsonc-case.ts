import { jsoncCorpus, referenceAccepts } from '../../../scope/testing/jsonc-corpus.ts';
import type { CompiledArchive } from '../../../suite/archive.ts';
import type { CompiledCase } from '../../../suite/compiled.ts';
import { ARCHIVES_DIRECTORY, localLink, NODE_BINARY } from '../../../suite/layout.ts';
import { all, check, exited, informs, of, undoOf, worldChecks } from './checks.ts';
import { emptyCase } from './scope-case.ts';
import { AFTER_STEP, BEFORE_STEP, CONTROL_STEP, CONTROLS, step } from './steps.ts';

const CORPUS = '/work/corpus';

/** The parser that VS Code itself uses, as it is published. */
export const JSONC_ARCHIVE: CompiledArchive = {
  name: 'jsonc-parser',
  sha256: '4a0315b8671e7463bae7af7c142cdf19e9aa7ba39eb36dc2df383b8648e3cbc9',
  sizeBytes: 27_354,
  unpack: 'tar.gz',
  strip: 1,
  source: { kind: 'npm', package: 'jsonc-parser', version: '3.3.1' },
};

/** Places of one project and one home that are read as JSONC; the container is in none of the documents. */
const PLACES: Readonly<Record<string, string>> = {
  'vscode:vscode-project': 'project/.vscode/mcp.json',
  'vscode:vscode-user': 'home/.config/Code/User/mcp.json',
  'zed:project': 'project/.zed/settings.json',
  'zed:user': 'home/.config/zed/settings.json',
  'opencode:project': 'project/opencode.json',
  'opencode:project-jsonc': 'project/opencode.jsonc',
  'opencode:project-folder': 'project/.opencode/opencode.json',
  'opencode:project-folder-jsonc': 'project/.opencode/opencode.jsonc',
  'opencode:user': 'home/.config/opencode/opencode.json',
  'opencode:user-jsonc': 'home/.config/opencode/opencode.jsonc',
};

/** Some thirty inventories. */
const CANDIDATE_MS = 60_000;

/** Says of each document whether the parser that VS Code uses accepts it, in the mode of VS Code's own settings. */
const REFERENCE_PROGRAM = `
const fs = require('node:fs');
const { parse } = require('${ARCHIVES_DIRECTORY}/${JSONC_ARCHIVE.name}/lib/umd/main.js');
for (const world of fs.readdirSync('${CORPUS}').sort()) {
  for (const [id, place] of Object.entries(${JSON.stringify(PLACES)})) {
    const path = '${CORPUS}/' + world + '/' + place;
    if (!fs.existsSync(path)) continue;
    const errors = [];
    const text = fs.readFileSync(path, 'utf8').replace(/^\\uFEFF/, '');
    parse(text, errors, { allowTrailingComma: true, disallowComments: false, allowEmptyContent: false });
    console.log(world + ' ' + id + ' ' + (errors.length === 0 ? 'accepted' : 'refused'));
  }
}`;

/**
 * Asks the inventory of each world, and says the same of each document. Four are asked at a time: one after another
 * they would take most of a case's time on a busy machine.
 */
const CANDIDATE_PROGRAM = `
const fs = require('node:fs');
const { execFile } = require('node:child_process');
const worlds = fs.readdirSync('${CORPUS}').sort();
const ask = (world) => new Promise((resolve) => {
  const folder = '${CORPUS}/' + world;
  const options = { env: { ...process.env, HOME: folder + '/home' }, maxBuffer: 1 << 26, timeout: 20000 };
  const argv = ['scope', folder + '/project', '--client', 'all', '--json'];
  execFile('${localLink('packproof')}', argv, options, (_, stdout) => resolve(stdout));
});
const answers = [];
const lane = async (first) => {
  for (let index = first; index < worlds.length; index += 4) answers[index] = await ask(worlds[index]);
};
const verdictOf = ({ state, problem }) =>
  state === 'present' ? 'accepted' : problem === 'syntax' ? 'refused' : state + ' ' + problem;
Promise.all([0, 1, 2, 3].map(lane)).then(() => {
  for (const [index, world] of worlds.entries()) {
    const sources = new Map(JSON.parse(answers[index]).sources.map((source) => [source.id, source]));
    for (const id of Object.keys(${JSON.stringify(PLACES)})) {
      const source = sources.get(id);
      if (source.state !== 'missing') console.log(world + ' ' + id + ' ' + verdictOf(source));
    }
  }
});`;

/**
 * JSONC as the inventory accepts it and as the parser of VS Code does, over a corpus made by a generator. What that
 * parser answered when the suite was made is what gates; what it answers in the box beside the inventory informs.
 */
export function jsoncReferenceCase(): CompiledCase {
  const corpus = jsoncCorpus();
  const accepted = corpus.filter(referenceAccepts).length;
  const expected = Buffer.from(expectedLines(corpus)).toString('base64');
  return {
    ...emptyCase({
      id: 'jsonc-reference',
      why: `${corpus.length} documents, ${accepted} of them good, are accepted as the parser of VS Code accepts them`,
      files: corpusFiles(corpus),
    }),
    controls: CONTROLS,
    references: [{ step: 'reference', archive: JSONC_ARCHIVE.name, files: [] }],
    steps: [
      CONTROL_STEP,
      step('reference', [NODE_BINARY, '-e', REFERENCE_PROGRAM]),
      BEFORE_STEP,
      { ...step('candidate', [NODE_BINARY, '-e', CANDIDATE_PROGRAM]), timeoutMs: CANDIDATE_MS },
      AFTER_STEP,
    ],
    checks: [
      ...worldChecks(),
      check(
        'acceptance',
        'the inventory accepts and refuses what the parser of VS Code does',
        all(exited('candidate', 0), { kind: 'stream-equals', of: of('candidate'), contentBase64: expected }),
      ),
      undoOf('reference'),
      informs(
        check(
          'reference',
          'the parser beside the inventory works and answers as it did when the suite was made',
          all(exited('reference', 0), {
            kind: 'stream-equals',
            of: of('reference'),
            contentBase64: expected,
          }),
        ),
      ),
      informs(
        check('same-acceptance', 'both accept and refuse the same documents', {
          kind: 'streams-equal',
          left: of('reference'),
          right: of('candidate'),
        }),
      ),
    ],
  };
}

interface Placed {
  readonly world: string;
  readonly id: string;
  readonly text: string;
}

/** As many documents a world as there are places. */
function place(corpus: readonly string[]): readonly Placed[] {
  const ids = Object.keys(PLACES);
  return corpus.map((text, index) => ({
    world: `w${String(Math.floor(index / ids.length)).padStart(2, '0')}`,
    id: ids[index % ids.length] ?? '',
    text,
  }));
}

function corpusFiles(corpus: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    place(corpus).map(({ world, id, text }) => [`${CORPUS}/${world}/${PLACES[id] ?? ''}`, text]),
  );
}

function expectedLines(corpus: readonly string[]): string {
  return place(corpus)
    .map(({ world, id, text }) => `${world} ${id} ${referenceAccepts(text) ? 'accepted' : 'refused'}\n`)
    .join('');
}
