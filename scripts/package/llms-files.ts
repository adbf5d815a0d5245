// Texts for coding agents in the package: npm runs `llms-files.ts write` before it packs and `llms-files.ts remove` afterwards.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { groups } from "../../site/pages.js";
import { readReference } from "../docs/reference/read.js";
import { type EntryDoc, firstSentence, type NameDoc } from "../docs/reference/reference.js";
import { listGuides } from "../docs/site/guides.js";
import { llmsText } from "../docs/site/llms.js";
import { readEntries } from "../public-api/entries.js";

/** Further types that are listed, of any entry: what runs return, and what nodes and tools receive. */
const alsoListed = [
  ...["AgentResult", "AgentStep", "TokenUsage", "ResponseMeta", "AgenticMessage", "EventPlace", "Interrupt"],
  ...["NodeContext", "ToolContext", "NodeFailure", "ToolError", "Runs", "WorkerOptions", "RunningWorker"],
];

/** Entries whose options and events are listed; those of the others stand in the declarations. */
const listed = ["kumiko/agents", "kumiko/components", "kumiko/compose", "kumiko/models", "kumiko/testing", "kumiko/ui"];

/**
 * `llms.txt` and `llms-full.txt` of the package. The guides are in the package themselves, so the full text is what they do not
 * hold: the options, events and results.
 */
export function packageTexts(
  root: string,
  reference: readonly EntryDoc[],
): { "llms.txt": string; "llms-full.txt": string } {
  const guides = listGuides(groups).filter(({ file }) => file.startsWith("docs/guides/"));
  const pages = guides.map(({ file, group }) => ({
    group,
    link: file,
    text: readFileSync(join(root, file), "utf8"),
  }));
  const more = [
    "[skills/kumiko/SKILL.md](skills/kumiko/SKILL.md) is the shortest introduction, [llms-full.txt](llms-full.txt) lists options, " +
      "events and results, and the declarations in `dist` have a comment for every name.",
  ];
  return { "llms.txt": llmsText(pages, more), "llms-full.txt": optionsText(reference) };
}

function optionsText(reference: readonly EntryDoc[]): string {
  const parts = reference.flatMap(({ specifier, text, names }) => {
    const shown = names.filter((name) => alsoListed.includes(name.name) || isOptions(specifier, name));
    return shown.length === 0 ? [] : [`# ${specifier}`, text, ...shown.map(section)];
  });
  const head = "Options, events and results of kumiko, by entry. The guides are in docs/guides: llms.txt lists them.";
  const full = `${[head, ...parts].join("\n\n")}\n`;
  return full.replace(/\{@link ([\w.]+)\}/g, "`$1`");
}

function isOptions(specifier: string, { name, fields }: NameDoc): boolean {
  return listed.includes(specifier) && fields.length > 0 && /(?:Options|Config|Policy|Event)$/.test(name);
}

function section({ name, text, fields, members }: NameDoc): string {
  return [
    `## ${name}\n\n${firstSentence(text)}\n`,
    ...fields.map(({ name: field, type, defaultValue, text: sentence }) => {
      const short = type.length > 80 ? `${type.slice(0, 78)} …` : type;
      const preset = defaultValue === undefined ? "" : ` Default: ${defaultValue}.`;
      return `- ${field}: ${short}. ${firstSentence(sentence)}${preset}`;
    }),
    ...(members.length === 0 ? [] : [`Properties: ${members.join(", ")}.`]),
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(import.meta.dirname, "../..");
  const names = ["llms.txt", "llms-full.txt"] as const;
  if (process.argv[2] === "write") {
    const texts = packageTexts(root, readReference(root, readEntries(root)));
    for (const name of names) writeFileSync(join(root, name), texts[name]);
  } else if (process.argv[2] === "remove") {
    for (const name of names) rmSync(join(root, name), { force: true });
  } else {
    console.error("Usage: tsx scripts/package/llms-files.ts write | remove");
    process.exitCode = 2;
  }
}
