import { checkOptions } from "../check-options.js";
import type { NodeContext } from "../components/context.js";
import type { Template } from "../components/retrieval.js";
import { KumikoError } from "../errors.js";
import { type Fields, isFields } from "../is.js";
import { type AgenticMessage, type AgenticRole, areMessages } from "../schema/message/agentic-message.js";
import { assistantMessage, systemMessage, userMessage } from "../schema/message/construct-message.js";
import {
  invalidBraces,
  invalidPart,
  invalidSyntax,
  missingVariables,
  noParts,
  notMessages,
  notVariables,
  unreadableText,
  unrenderedText,
  usedTwice,
} from "./errors.js";
import { Placeholder } from "./placeholder.js";
import type { CompiledText, TemplateSyntax } from "./template-syntax.js";
import type { TemplatePart, TemplateVariables } from "./template-variables.js";
import { plainValue, textOfValue } from "./variable-value.js";

/** Options of {@link promptTemplate}. */
export interface PromptTemplateOptions<Syntax extends TemplateSyntax | undefined = TemplateSyntax | undefined> {
  /** The syntax of the strings. @default {name} is a variable, {{ and }} are braces */
  readonly syntax?: Syntax | undefined;
}

/** A template of messages. It can also be called directly, without a context. */
export interface PromptTemplate<in Variables> extends Template<Variables> {
  /** Creates the messages. */
  format(variables: Variables, ctx?: NodeContext): Promise<AgenticMessage[]>;
}

/**
 * Creates a template that makes messages from variables. The types of the variables are inferred from the strings. String values
 * are inserted unchanged, other values as JSON; inserted text is never treated as a template.
 *
 * @example
 * const template = promptTemplate([
 *   ["system", "You are {role}."],
 *   placeholder("history", { optional: true }),
 *   ["user", "{question}"],
 * ]);
 * const messages = await template.format({ role: "a poet", question: "Why is the sky blue?" });
 */
export function promptTemplate<
  const Parts extends readonly TemplatePart[],
  Syntax extends TemplateSyntax | undefined = undefined,
>(parts: Parts, options: PromptTemplateOptions<Syntax> = {}): PromptTemplate<TemplateVariables<Parts, Syntax>> {
  if (!Array.isArray(parts) || parts.length === 0) throw noParts(parts);
  const syntax = syntaxOf(options);
  const read = [...(parts as readonly TemplatePart[])].map((part, index) => readPart(part, index, syntax));
  return new MessageTemplate(read) as PromptTemplate<TemplateVariables<Parts, Syntax>>;
}

function syntaxOf(options: PromptTemplateOptions): TemplateSyntax {
  checkOptions("promptTemplate", options, ["syntax"]);
  const { syntax = braces } = options;
  const isSyntax = isFields(syntax) && typeof syntax.name === "string" && typeof syntax.compile === "function";
  if (!isSyntax) throw invalidSyntax(syntax);
  return syntax;
}

type Part = Placeholder | TextPart;

const messageOf: Readonly<Record<AgenticRole, (text: string) => AgenticMessage>> = {
  system: systemMessage,
  user: userMessage,
  assistant: assistantMessage,
};

function readPart(part: unknown, index: number, syntax: TemplateSyntax): Part {
  if (part instanceof Placeholder) return part;
  if (!Array.isArray(part) || part.length !== 2) throw invalidPart(index, part);
  const [role, text]: readonly unknown[] = part;
  if (typeof role !== "string" || !Object.hasOwn(messageOf, role) || typeof text !== "string") {
    throw invalidPart(index, part);
  }
  return new TextPart(index, role as AgenticRole, text, syntax);
}

/** The text of one message. The default syntax is compiled immediately; others, which may have to be loaded, on first use. */
class TextPart {
  readonly #where: string;
  readonly #role: AgenticRole;
  readonly #text: string;
  readonly #syntax: TemplateSyntax;
  /** Set once the text has been compiled. */
  compiled: CompiledText | undefined;
  /** Whether it uses the default syntax, which converts values to text itself. */
  readonly isPlain: boolean;

  constructor(index: number, role: AgenticRole, text: string, syntax: TemplateSyntax) {
    this.#where = `Part ${index} of the template`;
    this.#role = role;
    this.#text = text;
    this.#syntax = syntax;
    this.isPlain = syntax === braces;
    this.compiled = this.isPlain ? braces.compile(text) : undefined;
  }

  async compile(): Promise<void> {
    try {
      this.compiled ??= await this.#syntax.compile(this.#text);
    } catch (error) {
      throw KumikoError.is(error) ? error : unreadableText(this.#where, this.#syntax.name, error);
    }
  }

  message(variables: Fields): AgenticMessage {
    try {
      return messageOf[this.#role](this.compiled?.render(variables) ?? "");
    } catch (error) {
      throw KumikoError.is(error) ? error : unrenderedText(this.#where, this.#syntax.name, error);
    }
  }
}

class MessageTemplate implements PromptTemplate<Fields> {
  readonly component = "template" as const;
  readonly type = "PromptTemplate";
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.#checkNames();
  }

  async format(variables: Fields): Promise<AgenticMessage[]> {
    if (!isFields(variables)) throw notVariables(variables);
    for (const part of this.#parts) {
      if (part instanceof TextPart && part.compiled === undefined) await part.compile();
    }
    this.#checkNames();
    this.#checkVariables(variables);
    const values = this.#valuesOf(variables);
    return this.#parts.flatMap((part) =>
      part instanceof TextPart ? [part.message(values)] : messagesOf(part, variables),
    );
  }

  get #texts(): readonly TextPart[] {
    return this.#parts.filter((part) => part instanceof TextPart);
  }

  /** The variables in the strings. */
  get #needed(): readonly string[] {
    return this.#texts.flatMap(({ compiled }) => compiled?.variables ?? []);
  }

  get #placeholders(): readonly Placeholder[] {
    return this.#parts.filter((part) => part instanceof Placeholder);
  }

  #checkNames(): void {
    const both = this.#placeholders.find(({ name }) => this.#needed.includes(name));
    if (both !== undefined) throw usedTwice(both.name);
  }

  #checkVariables(variables: Fields): void {
    const messages = this.#placeholders.flatMap(({ name, optional }) => (optional ? [] : [name]));
    const needed = new Set([...this.#needed, ...messages]);
    const missing = [...needed].filter((name) => !Object.hasOwn(variables, name) || variables[name] === undefined);
    if (missing.length === 0) return;
    const given = Object.keys(variables).filter((name) => variables[name] !== undefined);
    throw missingVariables(missing, given);
  }

  /** The values that templates can access: own fields, as plain data. The default syntax gets them unchanged. */
  #valuesOf(variables: Fields): Fields {
    if (this.#texts.every(({ isPlain }) => isPlain)) return variables;
    const messages = new Set(this.#placeholders.map(({ name }) => name));
    const needed = this.#needed;
    return Object.fromEntries(
      Object.entries(variables)
        .filter(([name, value]) => !messages.has(name) && (isData(value) || needed.includes(name)))
        .map(([name, value]) => [name, plainValue(name, value)]),
    );
  }
}

function isData(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

function messagesOf({ name }: Placeholder, variables: Fields): readonly AgenticMessage[] {
  const given: unknown = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (given === undefined) return [];
  if (!areMessages(given)) throw notMessages(name, given);
  return given;
}

type Piece = { readonly text: string } | { readonly variable: string };

/** The default syntax: `{name}` is a variable, and `{{` and `}}` are literal braces. */
const braces = {
  name: "text with {variables}",
  compile(text: string): CompiledText {
    const pieces = readPieces(text);
    return {
      variables: pieces.flatMap((piece) => ("variable" in piece ? [piece.variable] : [])),
      render: (values) =>
        pieces
          .map((piece) => ("text" in piece ? piece.text : textOfValue(piece.variable, values[piece.variable])))
          .join(""),
    };
  },
} satisfies TemplateSyntax;

const variableName = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

function readPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]/g)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push(readPiece(text, found, index));
    end = index + found.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

function readPiece(text: string, found: string, at: number): Piece {
  if (found === "{{" || found === "}}") return { text: found.slice(1) };
  if (found === "{") throw invalidBraces(text, at, "A brace is opened but never closed");
  if (found === "}") throw invalidBraces(text, at, "A brace is closed but was never opened");
  const variable = found.slice(1, -1);
  if (!variableName.test(variable)) throw invalidBraces(text, at, `${found} is not a valid variable`);
  return { variable };
}
