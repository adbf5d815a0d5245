import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";

export const invalidTemplate = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("INVALID_TEMPLATE", what, cause === undefined ? {} : { cause });

/** Invalid braces in a text. `at` is the position of the brace. */
export const invalidBraces = (text: string, at: number, why: string): KumikoError =>
  invalidTemplate(
    `${why} at position ${at} of the template ${shorten(text, { around: at, length: 80 })}. ` +
      "Write a variable as {name}, and literal braces as {{ and }}.",
  );

export const unreadableText = (where: string, syntax: string, cause: unknown): KumikoError =>
  invalidTemplate(`${where} cannot be read as ${syntax}: ${messageOf(cause)}`, cause);

export const unrenderedText = (where: string, syntax: string, cause: unknown): KumikoError =>
  invalidTemplate(`${where} cannot be rendered as ${syntax}: ${messageOf(cause)}`, cause);

export const invalidPart = (index: number, given: unknown): KumikoError =>
  invalidTemplate(
    `Part ${index} of the template must be [role, text] with the role "system", "user" or "assistant", or a placeholder("name") ` +
      `(got ${shorten(given, { length: 80 })}).`,
  );

export const noParts = (given: unknown): KumikoError =>
  invalidTemplate(
    `promptTemplate takes an array of at least one part, such as [["user", "{question}"]] (got ${shorten(given, { length: 80 })}).`,
  );

export const invalidPlaceholderName = (given: unknown): KumikoError =>
  invalidTemplate(
    `placeholder takes the name of a variable that holds messages (got ${shorten(given, { length: 80 })}).`,
  );

export const usedTwice = (name: string): KumikoError =>
  invalidTemplate(`"${name}" is both a placeholder for messages and a variable in a string. Rename one of them.`);

export const reservedJinjaName = (name: string): KumikoError =>
  invalidTemplate(`"${name}" is a reserved name in jinja and cannot be a variable. Rename the variable.`);

export const noPartials = (name: string): KumikoError =>
  invalidTemplate(`{{> ${name}}} includes another template, which is not supported. Copy its text into this one.`);

export const invalidSyntax = (given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `syntax of promptTemplate must be jinja or mustache, both from "kumiko/templates", or an object with name and compile ` +
      `(got ${shorten(given, { length: 80 })}).`,
  );

export const missingVariables = (missing: readonly string[], given: readonly string[]): KumikoError =>
  new KumikoError(
    "MISSING_VARIABLE",
    `The template needs ${listed(missing)}, which ${missing.length === 1 ? "is" : "are"} missing. Given variables: ${listed(given)}.`,
  );

export const notVariables = (given: unknown): KumikoError =>
  new KumikoError(
    "MISSING_VARIABLE",
    `A template takes an object of variables, such as { question: "…" } (got ${shorten(given, { length: 80 })}).`,
  );

export const notMessages = (name: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_MESSAGE",
    `The placeholder "${name}" takes an array of messages (got ${shorten(given, { length: 80 })}).`,
  );

export const notText = (name: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_TEMPLATE",
    `The variable "${name}" cannot be converted to text (got ${shorten(given, { length: 80 })}). Pass a string or a JSON value.`,
  );

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `"${name}"`).join(", ");
}
