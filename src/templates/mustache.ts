import type { Fields } from "../is.js";
import { loadPackage } from "../optional-package.js";
import { noPartials } from "./errors.js";
import type { CompiledText, TemplateSyntax } from "./template-syntax.js";
import { textOfValue } from "./variable-value.js";

/**
 * The Mustache syntax: `{{name}}`, `{{#list}}…{{/list}}`, `{{^list}}…{{/list}}`. It needs the package `mustache`. Values are not
 * escaped for HTML. Templates cannot use partials or functions, and can access only own fields of the variables. A variable that
 * is printed outside of sections is required; any other may be missing, and is then empty.
 *
 * @example
 * const template = promptTemplate([["user", "{{#facts}}- {{.}}\n{{/facts}}"]], { syntax: mustache });
 */
export const mustache: TemplateSyntax = {
  name: "mustache",
  async compile(text: string): Promise<CompiledText> {
    const { Context, Writer } = await loadMustache();

    /** Looks up names among own fields only. */
    class OwnFields extends Context {
      override push(view: unknown): OwnFields {
        return new OwnFields(view, this);
      }

      override lookup(name: string): unknown {
        if (name === ".") return this.view;
        const [first = "", ...inner] = name.split(".");
        let context: { readonly view: unknown; readonly parent: unknown } | undefined = this;
        while (context !== undefined && !hasField(context.view, first)) {
          context = context.parent instanceof OwnFields ? context.parent : undefined;
        }
        return context === undefined ? undefined : [first, ...inner].reduce(fieldOf, context.view);
      }
    }

    /** Writes values as text, without escaping. */
    class TextWriter extends Writer {
      override unescapedValue(token: string[], context: OwnFields): string {
        return this.escapedValue(token, context);
      }

      override escapedValue([, name = ""]: string[], context: OwnFields): string {
        const value = context.lookup(name);
        return value === undefined || value === null ? "" : textOfValue(name, value);
      }
    }

    const writer = new TextWriter();
    const tokens: Token[] = writer.parse(text);
    refusePartials(tokens);
    return {
      variables: [...new Set(tokens.flatMap(nameOfPrinted))],
      render: (values: Fields) => writer.renderTokens(tokens as never, new OwnFields(values), {}, text),
    };
  },
};

async function loadMustache() {
  return (await loadPackage("mustache", "A template in mustache", () => import("mustache"))).default;
}

/** A token of the parser. For a section, `inside` has the tokens within it. */
type Token = readonly [kind: string, value: string, start: number, end: number, inside?: unknown, ...unknown[]];

function refusePartials(tokens: readonly Token[]): void {
  for (const [kind, name, , , inside] of tokens) {
    if (kind === ">") throw noPartials(name);
    if (Array.isArray(inside)) refusePartials(inside);
  }
}

/** The variable that a top-level token prints, if any. */
function nameOfPrinted([kind, name]: Token): string[] {
  const [first = ""] = name.split(".");
  return (kind === "name" || kind === "&") && first !== "" ? [first] : [];
}

function hasField(value: unknown, name: string): value is Fields {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name);
}

function fieldOf(value: unknown, name: string): unknown {
  return hasField(value, name) ? value[name] : undefined;
}
