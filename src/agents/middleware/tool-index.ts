import { isFields } from "../../is.js";
import { shortenText } from "../../schema/shorten.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import { WordIndex } from "../../words/word-index.js";

/** A tool that was found. */
export interface ToolHit {
  readonly name: string;
  readonly description: string;
}

interface Info {
  readonly description?: string;
  readonly parameters?: unknown;
  toJsonSchema?(): unknown;
}

const longestDescription = 500;

/** Tools by the words of their names, descriptions and parameters. */
export class ToolIndex {
  readonly #words = new WordIndex();
  readonly #descriptions = new Map<string, string>();
  /** The order of the tools, for those that fit equally well. */
  readonly #places = new Map<string, number>();

  constructor(tools: ReadonlyMap<string, AnyTool>) {
    for (const [name, tool] of tools) {
      const { info = {} } = tool as { readonly info?: Info };
      const description = info.description ?? "";
      this.#places.set(name, this.#places.size);
      this.#descriptions.set(name, shortenText(description, { length: longestDescription }));
      const words = namedWords(name);
      // a name says most of what a tool does
      this.#words.add(name, [words, words, name, description, ...parameterWords(schemaOf(info))].join(" "));
    }
  }

  /** The tools that fit best. */
  find(query: string, limit: number): ToolHit[] {
    const place = (name: string): number => this.#places.get(name) ?? 0;
    const hits = [...this.#words.find(namedWords(query))];
    return hits
      .sort(([one, score], [other, otherScore]) => otherScore - score || place(one) - place(other))
      .slice(0, limit)
      .map(([name]) => ({ name, description: this.#descriptions.get(name) ?? "" }));
  }
}

/** `createInvoice` is two words. */
function namedWords(name: string): string {
  return name.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
}

/** A schema without a JSON form has no words. */
function schemaOf(info: Info): unknown {
  try {
    return info.toJsonSchema === undefined ? info.parameters : info.toJsonSchema();
  } catch {
    return undefined;
  }
}

const deepest = 6;

/** The names and descriptions in a JSON Schema. */
function parameterWords(schema: unknown, depth = 0): string[] {
  if (!isFields(schema) || depth > deepest) return [];
  const words: string[] = [];
  for (const text of [schema.title, schema.description]) if (typeof text === "string" && depth > 0) words.push(text);
  if (isFields(schema.properties)) {
    for (const [name, inner] of Object.entries(schema.properties)) {
      words.push(namedWords(name), ...parameterWords(inner, depth + 1));
    }
  }
  for (const inner of [schema.items, schema.additionalProperties]) words.push(...parameterWords(inner, depth + 1));
  for (const list of [schema.anyOf, schema.oneOf, schema.allOf]) {
    if (Array.isArray(list)) for (const inner of list) words.push(...parameterWords(inner, depth + 1));
  }
  return words;
}
