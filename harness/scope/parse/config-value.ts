/** A value that no rule of ours looks into: a TOML date, for one. */
export const OPAQUE: unique symbol = Symbol('opaque');

/** Objects are maps: a key such as `__proto__` or `constructor` is a name like any other. */
export type ConfigValue =
  | string
  | number
  | boolean
  | null
  | typeof OPAQUE
  | readonly ConfigValue[]
  | ConfigObject;

export type ConfigObject = ReadonlyMap<string, ConfigValue>;

export function isConfigObject(value: ConfigValue | undefined): value is ConfigObject {
  return value instanceof Map;
}

export function isConfigList(value: ConfigValue | undefined): value is readonly ConfigValue[] {
  return Array.isArray(value);
}
