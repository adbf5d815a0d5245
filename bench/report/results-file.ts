import { readFileSync, writeFileSync } from "node:fs";

/** The two commands that write results; each keeps the part of the other. */
const parts = { bench: "npm run bench", "bench:peers": "npm run bench:peers" } as const;
export type Part = keyof typeof parts;

const introduction = `# Results

Written by \`npm run bench\` and \`npm run bench:peers\`; each writes its own part. How it is measured stands in
[docs/performance.md](../docs/performance.md). Figures are CPU times; only the ratios mean something on another machine.
`;

/** The text of the file with one part replaced. */
export function withPart(text: string, part: Part, content: string): string {
  const found = Object.fromEntries(Object.keys(parts).map((name) => [name, partOf(text, name)]));
  found[part] = content.trim();
  const blocks = Object.entries(parts).map(([name, command]) => {
    const body = found[name] ?? `\`${command}\` has not been run.`;
    return `${opening(name)}\n\n${body}\n\n${closing(name)}\n`;
  });
  return [introduction, ...blocks].join("\n");
}

function partOf(text: string, name: string): string | undefined {
  const start = text.indexOf(opening(name));
  const end = text.indexOf(closing(name));
  return start < 0 || end < start ? undefined : text.slice(start + opening(name).length, end).trim();
}

const opening = (name: string): string => `<!-- ${name} -->`;
const closing = (name: string): string => `<!-- end of ${name} -->`;

export function writePart(path: string, part: Part, content: string): void {
  writeFileSync(path, withPart(readText(path), part, content));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
