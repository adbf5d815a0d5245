import { checkOptions } from "../check-options.js";
import { invalidPlaceholderName } from "./errors.js";

/** Options of {@link placeholder}. */
export interface PlaceholderOptions {
  /** Whether the variable may be missing, which inserts no messages. @default false */
  readonly optional?: boolean | undefined;
}

/** A part of a template that is replaced by messages, such as a history. */
export class Placeholder<out Name extends string = string, out Optional extends boolean = boolean> {
  /** The variable that holds the messages. */
  readonly name: Name;
  readonly optional: Optional;

  constructor(name: Name, optional: Optional) {
    this.name = name;
    this.optional = optional;
  }
}

/**
 * A placeholder for messages in a `promptTemplate`. The messages are inserted unchanged; text in them is not treated as a template.
 *
 * @example
 * const template = promptTemplate([["system", "Be brief."], placeholder("history", { optional: true }), ["user", "{question}"]]);
 */
export function placeholder<const Name extends string>(
  name: Name,
  options?: { readonly optional?: false | undefined },
): Placeholder<Name, false>;
export function placeholder<const Name extends string>(
  name: Name,
  options: PlaceholderOptions,
): Placeholder<Name, true>;
export function placeholder(name: string, options: PlaceholderOptions = {}): Placeholder {
  if (typeof name !== "string" || name === "") throw invalidPlaceholderName(name);
  checkOptions("placeholder", options, ["optional"]);
  const { optional = false } = options;
  return new Placeholder(name, optional);
}
