import type { Fields } from "../is.js";

/** A compiled text of a template. */
export interface CompiledText {
  /** The required variables. Others may be missing, as the syntax defines. */
  readonly variables: readonly string[];
  /** Renders the text with values, which are plain data with own fields only. */
  render(values: Fields): string;
}

/**
 * The syntax of the strings of a `promptTemplate`: `jinja`, `mustache`, or one of your own.
 *
 * @example
 * const percent: TemplateSyntax = {
 *   name: "percent",
 *   compile: (text) => ({
 *     variables: [...text.matchAll(/%(\w+)%/g)].map(([, name]) => name ?? ""),
 *     render: (values) => text.replace(/%(\w+)%/g, (_, name: string) => String(values[name])),
 *   }),
 * };
 * const template = promptTemplate([["user", "Weather in %city%?"]], { syntax: percent });
 */
export interface TemplateSyntax {
  /** The name of the syntax, for error messages. */
  readonly name: string;
  /** Compiles a text. Called once per text; throws or rejects if the text is invalid. */
  compile(text: string): CompiledText | Promise<CompiledText>;
}
