import { type FetchSettings, readFetchSettings } from './npm-config.ts';
import type { Packument } from './packument.ts';
import {
  downloadPlain,
  NpmRegistry,
  type PackageReference,
  type PlainAnswer,
  type Registry,
} from './registry.ts';

/** The user's registry, whose settings are read only when somebody really has to be asked. */
export class LazyRegistry implements Registry {
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;
  #settings: Promise<FetchSettings> | null = null;
  #registry: Promise<NpmRegistry> | null = null;

  constructor(cwd: string, env: NodeJS.ProcessEnv = process.env) {
    this.#cwd = cwd;
    this.#env = env;
  }

  async packument(name: string): Promise<Packument | null> {
    return (await this.#open()).packument(name);
  }

  async tarball(reference: PackageReference): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#open()).tarball(reference);
  }

  /** Fetches an address outside the registry; see `downloadPlain`. */
  readonly download = async (uri: string): Promise<PlainAnswer> => downloadPlain(uri, await this.#read());

  #read(): Promise<FetchSettings> {
    this.#settings ??= readFetchSettings(this.#cwd, this.#env);
    return this.#settings;
  }

  #open(): Promise<NpmRegistry> {
    this.#registry ??= this.#read().then((settings) => new NpmRegistry(settings));
    return this.#registry;
  }
}
