import { KumikoError } from "./errors.js";
import { isFields } from "./is.js";
import { similarName } from "./nearest-names.js";
import { kindOf } from "./wording.js";

/** The names of options. In a record, each can have a check of its value. */
export type OptionSpec = readonly string[] | Readonly<Record<string, OptionCheck | true>>;

/** Whether a value is valid, and what it must be: `[isBoolean, "true or false"]`. `undefined` always is. */
export type OptionCheck = readonly [test: (value: unknown) => boolean, wanted: string];

export interface CheckOptionsSettings {
  /** A sentence that says what to write instead of an unknown name. @default the most similar option, if there is one */
  readonly hint?: ((name: string) => string) | undefined;
  /** Makes the error. @default one with the code `INVALID_OPTION` */
  readonly refuse?: ((message: string) => Error) | undefined;
}

/**
 * Throws unless options are an object whose names are all known and whose values are valid. `where` names their owner.
 */
export function checkOptions(
  where: string,
  given: unknown,
  spec: OptionSpec,
  { hint, refuse = invalid }: CheckOptionsSettings = {},
): void {
  if (!isFields(given)) throw refuse(`The options of ${where} must be an object (got ${kindOf(given)}).`);
  const known = isList(spec) ? spec : Object.keys(spec);
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) {
      const advice = hint?.(name) || didYouMean(name, known);
      throw refuse(`Unknown option "${name}" of ${where}.${advice && ` ${advice}`} Options: ${known.join(", ")}.`);
    }
    const check = isList(spec) ? true : spec[name];
    const value = given[name];
    if (check === undefined || check === true || value === undefined || check[0](value)) continue;
    const shown = typeof value === "number" ? value : kindOf(value);
    throw refuse(`${name} of ${where} must be ${check[1]} (got ${shown}).`);
  }
}

function didYouMean(name: string, known: readonly string[]): string {
  const similar = similarName(name, known);
  return similar === undefined ? "" : `Did you mean "${similar}"?`;
}

const invalid = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

const isList = (spec: OptionSpec): spec is readonly string[] => Array.isArray(spec);
