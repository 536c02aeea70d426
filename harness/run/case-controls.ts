import type { Box, FileTreeEntry, Snapshot } from '../engine/engine.ts';
import type { CompiledCase, CompiledControl, CompiledFile, CompiledReference } from '../suite/compiled.ts';
import type { ControlObservation, NamedFile } from '../suite/observation.ts';
import type { ListedFile } from './box-files.ts';
import { toFileTree } from './file-tree.ts';
import { findNamedFiles } from './named-files.ts';
import { findUnlaid, undoReference } from './reference-undo.ts';
import { takeBack } from './take-back.ts';
import type { Teardown } from './teardown.ts';

export interface ControlParts {
  readonly box: Box;
  readonly teardown: Teardown;
  /** Files of the box's image by absolute path. */
  readonly imageFiles: () => ReadonlyMap<string, ListedFile>;
}

/**
 * What is done around the controls and references of one case, from outside and while nothing of the box runs:
 * laying what each is given, and its undo. The listing after each is what shows that it was done.
 */
export class CaseControls {
  readonly #case: CompiledCase;
  readonly #box: Box;
  readonly #teardown: Teardown;
  readonly #imageFiles: ControlParts['imageFiles'];
  readonly #seen: ControlObservation[] = [];

  constructor(one: CompiledCase, parts: ControlParts) {
    this.#case = one;
    this.#box = parts.box;
    this.#teardown = parts.teardown;
    this.#imageFiles = parts.imageFiles;
  }

  get seen(): readonly ControlObservation[] {
    return this.#seen;
  }

  /** Before the step: one line when it could not be laid, null when it was, or when the step is the candidate's. */
  async prepare(step: string): Promise<string | null> {
    const [control, reference] = [this.#find(step), this.#findReference(step)];
    const given = control ?? reference;
    if (given === null) return null;
    const entries = given.files.flatMap((file): readonly FileTreeEntry[] => [
      { kind: 'remove', path: file.path },
      ...toFileTree([file]),
    ]);
    const refused = await this.#teardown.lay('lay', step, this.#lay(entries, this.#owned()));
    const laid = await this.#teardown.snapshot(`${step} laid`);
    this.#seen.push({ step, laid, program: this.#named(step, laid), ran: null, undone: null });
    return refused ?? (reference === null || laid === null ? null : findUnlaid(reference.files, laid));
  }

  /** After the step has ended with all that it started. `before`: the files of the case before its first step. */
  async undo(step: string, before: Snapshot): Promise<string | null> {
    if (this.#findReference(step) !== null) return this.#undoReference(step, before);
    const control = this.#find(step);
    if (control === null) return null;
    const ran = await this.#teardown.snapshot(`${step} ran`);
    const laying = this.#lay(this.#toUndo(control, before), ran?.entries ?? this.#owned());
    const refused = await this.#teardown.lay('undo', step, laying);
    const undone = await this.#teardown.snapshot(`${step} undone`);
    this.#close(step, { ran, undone });
    return refused;
  }

  /** What a reference wrote where is its own affair: everything is put back to what it was before. */
  async #undoReference(step: string, before: Snapshot): Promise<string | null> {
    const ran = await this.#teardown.look();
    const entries = undoReference(this.#case.files, before, ran);
    const laying = this.#lay(entries, ran?.entries ?? this.#owned());
    const refused = await this.#teardown.lay('undo', step, laying);
    const undone = await this.#teardown.snapshot(`${step} undone`);
    this.#close(step, { ran: null, undone });
    return refused;
  }

  /** `there`: what may be in the way of an entry that takes something away. */
  async #lay(entries: readonly FileTreeEntry[], there: Parameters<typeof takeBack>[1]): Promise<void> {
    const removed = entries.filter(({ kind }) => kind === 'remove').map(({ path }) => path);
    const back = takeBack(removed, there);
    if (back.length > 0) await this.#box.lay(back);
    await this.#box.lay(entries);
  }

  /** What the case gives to other users. */
  #owned(): Parameters<typeof takeBack>[1] {
    return this.#case.files.filter((file) => file.kind === 'owner');
  }

  /** The looks after the step beside those before it. */
  #close(step: string, looks: Pick<ControlObservation, 'ran' | 'undone'>): void {
    const { laid = null, program = [] } = this.#seen.pop() ?? {};
    this.#seen.push({ step, laid, program, ...looks });
  }

  #named(name: string, laid: Snapshot | null): readonly NamedFile[] {
    const step = this.#case.steps.find((one) => one.name === name);
    if (step === undefined || laid === null) return [];
    return findNamedFiles(step, { image: this.#imageFiles(), laid, exec: this.#case.exec });
  }

  #findReference(step: string): CompiledReference | null {
    return this.#case.references.find((one) => one.step === step) ?? null;
  }

  #find(step: string): CompiledControl | null {
    return this.#case.controls.find((one) => one.step === step) ?? null;
  }

  /** Owners go last: the holder cannot lay what is not its own any more. */
  #toUndo({ remove, restore }: CompiledControl, before: Snapshot): readonly FileTreeEntry[] {
    const gone = [...remove, ...restore].map((path): FileTreeEntry => ({ kind: 'remove', path }));
    return [...gone, ...restore.flatMap((path) => this.#toOriginal(path, before))];
  }

  /** The file as the case lays it, as old as it was, and its owner's. */
  #toOriginal(path: string, before: Snapshot): readonly FileTreeEntry[] {
    const file: CompiledFile | undefined = this.#case.files.find((one) => one.path === path);
    const was = before.entries.find((entry) => entry.path === path);
    if (file === undefined) return [];
    const times: readonly FileTreeEntry[] =
      was === undefined ? [] : [{ kind: 'times', path, mtimeMs: was.mtimeMs }];
    const owners = this.#case.files.filter((one) => one.kind === 'owner' && one.path === path);
    return [...toFileTree([file]), ...times, ...toFileTree(owners)];
  }
}
