import { isFields } from "../is.js";
import { loadPackage } from "../optional-package.js";

/** The description of a skill, and its instructions. */
export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** What stands below the front matter. */
  readonly body: string;
}

const longestName = 64;
const longestDescription = 1_024;

/** Reads a `SKILL.md`. Throws if it is not one. */
export async function readSkill(text: string): Promise<SkillText> {
  const [whole, yaml = ""] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (whole === undefined)
    throw new Error("It does not begin with front matter: lines between two lines of three dashes.");
  const fields = await parseYaml(yaml);
  if (!isFields(fields)) throw new Error("Its front matter must have fields, such as name and description.");
  const name = fieldOf(fields, "name", longestName);
  if (/[\n/\\\0]/.test(name)) throw new Error("The name in its front matter must not contain slashes or line breaks.");
  const description = fieldOf(fields, "description", longestDescription).replaceAll(/\s+/g, " ");
  return { name, description, body: text.slice(whole.length).trim() };
}

function fieldOf(fields: Readonly<Record<string, unknown>>, field: string, most: number): string {
  const value = fields[field];
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  if (text === "") throw new Error(`Its front matter has no ${field}.`);
  if (text.length > most)
    throw new Error(`The ${field} in its front matter has ${text.length} characters, and the limit is ${most}.`);
  return text;
}

/** Many published skills have a colon in a text without quotes, which is not YAML: then such lines are read as text. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await loadPackage("yaml", "skills", () => import("yaml"));
  // aliases make small files large
  const options = { maxAliasCount: 0, logLevel: "error" } as const;
  try {
    return parse(text, options);
  } catch (error) {
    const quoted = text.replaceAll(
      /^([A-Za-z][\w-]*):[ \t]+(?!["'|>[{&*!])(.*:.*)$/gm,
      (_, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
    );
    if (quoted === text) throw error;
    return parse(quoted, options);
  }
}
