import type { Fields } from "../is.js";

/** A text of a template that has been read. */
export interface CompiledText {
  /** The variables without which the text makes no sense. Others may be missing, as the syntax says. */
  readonly variables: readonly string[];
  /** The text with these values in it: plain data only, whose fields are their own. */
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
  /** What it is called in messages. */
  readonly name: string;
  /** Reads a text. Called once per text; throws or rejects when the text is wrong. */
  compile(text: string): CompiledText | Promise<CompiledText>;
}
