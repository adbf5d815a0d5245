import type { AgenticMessage, AgenticRole } from "../schema/message/agentic-message.js";
import type { Placeholder } from "./placeholder.js";
import type { TemplateSyntax } from "./template-syntax.js";
import type { TemplateValue } from "./variable-value.js";

/** One part of a template: a role and a text, or a placeholder for messages. */
export type TemplatePart = readonly [role: AgenticRole, text: string] | Placeholder;

/**
 * The variables of a template, inferred from its strings. In other syntaxes, and for strings that are not literals, any variable
 * is allowed.
 */
export type TemplateVariables<
  Parts extends readonly TemplatePart[],
  Syntax extends TemplateSyntax | undefined,
> = TextVariables<Parts, Syntax> & RequiredMessages<Parts> & OptionalMessages<Parts>;

/** @internal */
type TextVariables<Parts extends readonly TemplatePart[], Syntax extends TemplateSyntax | undefined> = [
  Syntax,
] extends [undefined]
  ? { readonly [Name in NamesIn<TextOf<Parts[number]>>]: TemplateValue }
  : { readonly [name: string]: unknown };

type TextOf<Part> = Part extends readonly [AgenticRole, infer Text extends string] ? Text : never;

type NamesIn<Text extends string> = Text extends unknown ? (string extends Text ? string : Scan<Text>) : never;

type Scan<Text extends string, Found extends string = never> = Text extends `${string}{${infer Rest}`
  ? Rest extends `{${infer After}`
    ? Scan<After, Found>
    : Rest extends `${infer Name}}${infer After}`
      ? Scan<After, Found | Name>
      : Found
  : Found;

type Messages = readonly AgenticMessage[];

/** @internal */
type RequiredMessages<Parts extends readonly TemplatePart[]> = {
  readonly [Part in Parts[number] as Part extends Placeholder<infer Name, false> ? Name : never]: Messages;
};

/** @internal */
type OptionalMessages<Parts extends readonly TemplatePart[]> = {
  readonly [Part in Parts[number] as Part extends Placeholder<infer Name, infer Optional>
    ? true extends Optional
      ? Name
      : never
    : never]?: Messages | undefined;
};
