/** How a command is declared and where npm makes it point. */
export interface BinFact {
  /** The name of the link npm makes. */
  readonly name: string;
  /** Relative to the package, in npm's plain form: no `./`, no backslashes. */
  readonly path: string;
  readonly declaredBy: 'bin' | 'directories.bin';
}

export interface DependencyFact {
  readonly name: string;
  readonly spec: string;
}

/** A peer dependency marked optional is not installed. */
export interface PeerFact extends DependencyFact {
  readonly optional: boolean;
}

/** A script that npm runs at install unless scripts are off. */
export interface InstallScript {
  readonly name: 'preinstall' | 'install' | 'postinstall';
  readonly command: string;
  /** True for the build that `binding.gyp` alone causes. */
  readonly implicit: boolean;
}

/** One subpath of `exports` and the files it can lead to, in order of their conditions. */
export interface ExportFact {
  readonly subpath: string;
  readonly targets: readonly string[];
}

/** What later parts need of package.json; every value is text of the candidate, unescaped. */
export interface ManifestFacts {
  readonly name: string | null;
  readonly version: string | null;
  readonly type: 'module' | 'commonjs' | null;
  readonly private: boolean;
  readonly bins: readonly BinFact[];
  readonly main: string | null;
  readonly exports: readonly ExportFact[];
  readonly engines: { readonly node: string | null; readonly npm: string | null };
  readonly os: readonly string[];
  readonly cpu: readonly string[];
  readonly libc: readonly string[];
  readonly dependencies: readonly DependencyFact[];
  readonly optionalDependencies: readonly DependencyFact[];
  readonly peerDependencies: readonly PeerFact[];
  readonly bundledDependencies: readonly string[];
  readonly installScripts: readonly InstallScript[];
  readonly hasShrinkwrap: boolean;
}
