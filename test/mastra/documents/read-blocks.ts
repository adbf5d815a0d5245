import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type DocumentName = "mastra-docs.md" | "mastra-create-tool.md" | "mastra-create-tool.zh.txt";

/** A code block of a document, with its place among the blocks of that document, from 1. */
export interface Block {
  readonly document: DocumentName;
  readonly number: number;
  readonly code: string;
}

const documents: readonly DocumentName[] = ["mastra-docs.md", "mastra-create-tool.md", "mastra-create-tool.zh.txt"];

/** The folder of documents: what KUMIKO_DOCUMENTS names, else the nearest `shared/reference/seeds` above this one. */
export function findDocuments(): string | undefined {
  const { KUMIKO_DOCUMENTS: named } = process.env;
  if (named !== undefined && named !== "") return existsSync(named) ? named : undefined;
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const found = join(folder, "shared", "reference", "seeds");
    if (documents.every((name) => existsSync(join(found, name)))) return found;
  }
  return undefined;
}

/** Every code block, in order. None where there is no folder of them. */
export function readBlocks(folder: string | undefined): Block[] {
  if (folder === undefined) return [];
  return documents.flatMap((document) => {
    const text = readFileSync(join(folder, document), "utf8");
    const codes = document.endsWith(".md") ? fencedCode(text) : plainCode(text);
    return codes.map((code, index) => ({ document, number: index + 1, code }));
  });
}

function fencedCode(text: string): string[] {
  return [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, code = ""]) => code);
}

/** The page that was copied as text has its code between lines of prose. */
function plainCode(text: string): string[] {
  const statement = /(?:^import [^\n]*\n)*\n?^export const \w+ = createTool\(\{\n.*?^\}\);$|^mcp: \{\n.*?^\}$/gms;
  return [...text.matchAll(statement)].map(([code]) => code);
}
