import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EntryDoc, type FieldDoc, firstSentence, type NameDoc } from "./reference.js";

const longestType = 240;

/** Where a name of the reference stands: `agents#AgentOptions`. */
export type Places = ReadonlyMap<string, string>;

/** The pages and anchors of all names. */
export function readPlaces(entries: readonly EntryDoc[]): Places {
  return new Map(
    entries.flatMap(({ slug, names }) =>
      names.map(({ name, fields }) => [name, fields.length === 0 ? `${slug}#names` : `${slug}#${name}`] as const),
    ),
  );
}

/** The reference page of an entry as Markdown: a section for each option, event and field. `apiAnchorOf` finds names in the API. */
export function referencePage(
  entry: EntryDoc,
  places: Places,
  digest: string,
  apiAnchorOf: (name: string) => string | undefined = () => undefined,
): string {
  const { specifier, slug, text, names } = entry;
  const shown = new Map<string, string>();
  const values = names.filter(({ kind }) => kind !== "type");
  const plain = names.filter(({ kind, fields }) => kind === "type" && fields.length === 0);
  const types = names.filter(({ fields }) => fields.length > 0);
  const parts = [
    `---\ntitle: ${specifier}\nsources: ${digest}\n---`,
    `# ${specifier}`,
    escapeText(text, places),
    `Every name that this entry exports. Signatures and methods are in the [API](../api/${slug}.md).`,
    "## Names",
    [...values, ...plain, ...types].map((name) => line(name, slug, places, apiAnchorOf(name.name))).join("\n"),
    ...types.flatMap((name) => section(name, slug, places, shown)),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** A fingerprint of the sources of a page, and of nothing else. */
export function digestOf(root: string, { sources }: EntryDoc): string {
  const hash = createHash("sha256");
  for (const source of sources)
    hash
      .update(source)
      .update("\0")
      .update(readFileSync(join(root, source)));
  return hash.digest("hex").slice(0, 16);
}

/** A bullet for a name; `anchor` is where the API has it. */
function line(
  { name, kind, text, definition, fields }: NameDoc,
  slug: string,
  places: Places,
  anchor: string | undefined,
): string {
  const sentence = escapeText(firstSentence(text), places);
  if (fields.length > 0) return `- [\`${name}\`](#${name}): ${sentence}`;
  const written = definition === undefined || definition.length > 120 ? "" : ` ${code(definition)}`;
  const target =
    kind === "type" && written !== ""
      ? `\`${name}\``
      : `[\`${name}\`](../api/${slug}.md${anchor === undefined ? "" : `#${anchor}`})`;
  return `- ${target}: ${sentence}${written}`;
}

function section(name: NameDoc, slug: string, places: Places, shown: Map<string, string>): string[] {
  const head = [`## ${name.name} {#${name.name}}`, escapeText(name.text, places)];
  const key = name.fields.map(({ place, name: field }) => `${place} ${field}`).join();
  const twin = shown.get(key);
  if (twin !== undefined) return [...head, `The same as [\`${twin}\`](#${twin}).`];
  shown.set(key, name.name);
  const isBag = name.fields.some(({ required }) => !required);
  return [...head, ...name.fields.flatMap((field) => fieldSection(name.name, field, isBag, slug, places))];
}

/** `isBag`: whether the type has optional fields, so that it is worth saying which are not. */
function fieldSection(owner: string, field: FieldDoc, isBag: boolean, slug: string, places: Places): string[] {
  const type =
    field.type.length > longestType ? `${code(cut(field.type))} ([API](../api/${slug}.md))` : code(field.type);
  const facts = [type];
  if (field.required && isBag) facts.push("required");
  if (field.defaultValue !== undefined) facts.push(`default: ${escapeText(defaultText(field.defaultValue), places)}`);
  return [
    `### \`${field.name}\` {#${anchorOf(owner, field.name)}}`,
    facts.join(" · "),
    ...(field.text === "" ? [] : [escapeText(field.text, places)]),
  ];
}

/** `AgentOptions-maxSteps`. */
export function anchorOf(type: string, field: string): string {
  return `${type}-${field.replace(/[^\w-]/g, "")}`;
}

/** A value is set as code; `"auto": without tools "native"` and a description stay text. */
function defaultText(value: string): string {
  return /^(?:-?[\d_,.]+|"[^"]*"|true|false|null|undefined|\{.*\}|\[.*\]|\w+\(.*\))$/.test(value)
    ? `\`${value}\``
    : value;
}

function cut(type: string): string {
  return `${type.slice(0, longestType - 2).trimEnd()} …`;
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Text of a doc comment, as Markdown that no renderer takes for HTML; `{@link name}` becomes a link. */
function escapeText(text: string, places: Places): string {
  const linked = text.replace(/\{@link(?:code|plain)? ([\w.]+)[^}]*\}/g, (_, name: string) => {
    const place = places.get(name);
    return place === undefined ? `\`${name}\`` : `[\`${name}\`](./${place.replace("#", ".md#")})`;
  });
  return linked
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replace(/\[(?=[^\]]*\](?!\())/g, "\\["),
    )
    .join("");
}
