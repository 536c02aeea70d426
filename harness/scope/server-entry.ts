import { type GuardForm, guardFormOf } from './guard-form.ts';
import { type ConfigObject, type ConfigValue, isConfigList, isConfigObject } from './parse/config-value.ts';
import type { EntryShape } from './profiles/profile.ts';

/**
 * The shape of one declaration: `stdio` names a command, `remote` a URL, `mixed` both, `unknown` neither in a
 * field that is known; `malformed` is no object or has a known field of the wrong kind.
 */
export type Declaration = 'stdio' | 'remote' | 'mixed' | 'unknown' | 'malformed';

export interface ServerFacts {
  readonly declaration: Declaration;
  readonly guardForm: GuardForm;
  /** Whether fields are there that no rule looks into; `unknown` for a malformed entry. */
  readonly uninterpretedFields: boolean | 'unknown';
}

const MALFORMED: ServerFacts = {
  declaration: 'malformed',
  guardForm: 'unknown',
  uninterpretedFields: 'unknown',
};

/**
 * Reduces an entry to words from closed lists. No value of the entry leaves this function.
 *
 * Only the kinds of known fields are checked; it is not a validator of the client's configuration.
 */
export function examineEntry(value: ConfigValue, shape: EntryShape): ServerFacts {
  if (!isConfigObject(value) || !hasKnownKinds(value, shape)) return MALFORMED;
  const declaration = declarationOf(value, shape);
  return {
    declaration,
    guardForm: guardFormOfEntry(value, shape, declaration),
    uninterpretedFields: [...value.keys()].some((key) => !knownFields(shape).has(key)),
  };
}

function declarationOf(entry: ConfigObject, shape: EntryShape): Declaration {
  const hasCommand = entry.has(shape.command.field);
  const hasUrl = shape.urls.some((field) => entry.has(field));
  if (hasCommand && hasUrl) return 'mixed';
  if (hasCommand) return 'stdio';
  return hasUrl ? 'remote' : 'unknown';
}

function guardFormOfEntry(entry: ConfigObject, shape: EntryShape, declaration: Declaration): GuardForm {
  if (declaration === 'remote') return 'none';
  if (declaration !== 'stdio') return 'unknown';
  // The guard's form is defined over strings alone; another kind of environment value is outside of it.
  const environment = entry.get(shape.env.field);
  if (isConfigObject(environment) && !isMapOf(environment, isText)) return 'unknown';
  const line = commandLine(entry, shape);
  return line === null ? 'unknown' : guardFormOf(line.command, line.args);
}

function commandLine(
  entry: ConfigObject,
  shape: EntryShape,
): { readonly command: string; readonly args: readonly string[] } | null {
  const command = entry.get(shape.command.field);
  if (typeof command === 'string') {
    const args = shape.args === null ? undefined : entry.get(shape.args);
    return { command, args: isConfigList(args) ? args.filter(isText) : [] };
  }
  if (!isConfigList(command)) return null;
  const [first, ...rest] = command.filter(isText);
  return first === undefined ? null : { command: first, args: rest };
}

function hasKnownKinds(entry: ConfigObject, shape: EntryShape): boolean {
  const isEnvValue = shape.env.values === 'text' ? isText : isTextNumberOrNull;
  const checks: readonly (readonly [readonly string[], (value: ConfigValue) => boolean])[] = [
    [[shape.command.field], shape.command.form === 'text' ? isText : isNonEmptyTextList],
    [shape.args === null ? [] : [shape.args], isTextList],
    [[shape.env.field], (value) => isMapOf(value, isEnvValue)],
    [shape.urls, isText],
    [shape.textFields, isText],
    [shape.flagFields, (value) => typeof value === 'boolean'],
    [shape.numberFields, isFiniteNumber],
    [shape.textListFields, isTextList],
    [shape.textMapFields, (value) => isMapOf(value, isText)],
  ];
  return checks.every(([fields, isKind]) =>
    fields.every((field) => {
      const value = entry.get(field);
      return value === undefined || isKind(value);
    }),
  );
}

const KNOWN_FIELDS = new WeakMap<EntryShape, ReadonlySet<string>>();

function knownFields(shape: EntryShape): ReadonlySet<string> {
  const cached = KNOWN_FIELDS.get(shape);
  if (cached !== undefined) return cached;
  const fields = new Set([
    shape.command.field,
    ...(shape.args === null ? [] : [shape.args]),
    shape.env.field,
    ...shape.urls,
    ...shape.textFields,
    ...shape.flagFields,
    ...shape.numberFields,
    ...shape.textListFields,
    ...shape.textMapFields,
  ]);
  KNOWN_FIELDS.set(shape, fields);
  return fields;
}

function isText(value: ConfigValue): value is string {
  return typeof value === 'string';
}

function isFiniteNumber(value: ConfigValue): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isTextNumberOrNull(value: ConfigValue): boolean {
  return value === null || isText(value) || isFiniteNumber(value);
}

function isTextList(value: ConfigValue): boolean {
  return isConfigList(value) && value.every(isText);
}

function isNonEmptyTextList(value: ConfigValue): boolean {
  return isTextList(value) && isConfigList(value) && value.length > 0;
}

function isMapOf(value: ConfigValue, isKind: (value: ConfigValue) => boolean): boolean {
  return isConfigObject(value) && [...value.values()].every(isKind);
}
