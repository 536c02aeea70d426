declare module '@npmcli/config' {
  export interface ConfigOptions {
    readonly npmPath: string;
    readonly definitions: unknown;
    readonly shorthands: unknown;
    readonly flatten: unknown;
    readonly nerfDarts: unknown;
    readonly argv: readonly string[];
    readonly env: Record<string, string | undefined>;
    readonly cwd: string;
    readonly warn: boolean;
  }
  export default class Config {
    constructor(options: ConfigOptions);
    load(): Promise<void>;
    validate(): boolean;
    readonly flat: Readonly<Record<string, unknown>>;
  }
}

declare module '@npmcli/config/lib/definitions/index.js' {
  const parts: {
    readonly definitions: Readonly<Record<string, { readonly default: unknown }>>;
    readonly shorthands: unknown;
    readonly flatten: unknown;
    readonly nerfDarts: unknown;
  };
  export default parts;
}
