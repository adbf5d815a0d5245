import { type Fields, isFields } from "../is.js";
import { loadPackage } from "../optional-package.js";
import { reservedJinjaName } from "./errors.js";
import type { CompiledText, TemplateSyntax } from "./template-syntax.js";

/**
 * The Jinja syntax of chat templates: `{{ name }}`, `{% if %}`, `{% for %}`, filters and macros. It needs the package
 * `@huggingface/jinja`. Templates cannot use `include`, and cannot access files, functions or prototypes. A variable that is
 * printed outside of conditions and loops is required; any other may be missing, and is then undefined.
 *
 * @example
 * const template = promptTemplate([["user", "{% for fact in facts %}- {{ fact }}\n{% endfor %}"]], { syntax: jinja });
 */
export const jinja: TemplateSyntax = {
  name: "jinja",
  async compile(text: string): Promise<CompiledText> {
    const { Template } = await loadJinja();
    const template = new Template(text);
    const names = new Names(template.parsed);
    return {
      variables: names.printed,
      render: (values) => template.render(namesGiven(values, names.mentioned)),
    };
  },
};

function loadJinja() {
  return loadPackage("@huggingface/jinja", "A template in jinja", () => import("@huggingface/jinja"));
}

/** Names that the engine declares itself, and does not allow to be declared again. */
const reserved = new Set("true false none True False None range namespace raise_exception strftime_now".split(" "));

function namesGiven(values: Fields, mentioned: ReadonlySet<string>): Record<string, unknown> {
  const given = Object.entries(values).filter(([name]) => mentioned.has(name));
  const clash = given.find(([name]) => reserved.has(name));
  if (clash !== undefined) throw reservedJinjaName(clash[0]);
  return Object.fromEntries(given);
}

/** The names in a template. */
class Names {
  /** All names that occur. */
  readonly mentioned = new Set<string>();
  /** The names of variables that are always printed, and not set by the template itself. */
  readonly printed: readonly string[];
  readonly #set = new Set<string>();

  constructor(program: { readonly body: readonly unknown[] }) {
    this.#walk(program.body);
    const printed = program.body.map(nameOfPrinted).filter((name) => name !== undefined);
    this.printed = printed.filter((name) => !this.#set.has(name) && !reserved.has(name));
  }

  #walk(node: unknown): void {
    if (Array.isArray(node)) for (const item of node) this.#walk(item);
    if (node instanceof Map) this.#walk([...node].flat());
    if (!isFields(node)) return;
    if (node.type === "Identifier" && typeof node.value === "string") this.mentioned.add(node.value);
    if (node.type === "Set") this.#addNames(node.assignee);
    if (node.type === "Macro") this.#addNames(node.name);
    for (const inner of Object.values(node)) this.#walk(inner);
  }

  #addNames(target: unknown): void {
    if (!isFields(target)) return;
    if (target.type === "Identifier" && typeof target.value === "string") this.#set.add(target.value);
    if (Array.isArray(target.value)) for (const inner of target.value) this.#addNames(inner);
  }
}

/** The variable that a statement prints: `{{ user.name | upper }}` prints `user`. */
function nameOfPrinted(node: unknown): string | undefined {
  if (!isFields(node)) return undefined;
  if (node.type === "Identifier") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "MemberExpression") return nameOfPrinted(node.object);
  if (node.type !== "FilterExpression" || isDefault(node.filter)) return undefined;
  return nameOfPrinted(node.operand);
}

/** Whether a filter is `default("…")`, which makes a variable optional. */
function isDefault(filter: unknown): boolean {
  if (!isFields(filter)) return false;
  if (filter.type === "CallExpression") return isDefault(filter.callee);
  return filter.value === "default" || filter.value === "d";
}
