import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Block } from "./read-blocks.js";

/** How a block is made to run: what it lacks, and what it gets wrong. */
export interface Recipe {
  /** Names of the preamble that the block uses without importing them. */
  readonly needs?: readonly string[];
  /** What is wrong in the block itself, and what it must be. */
  readonly patches?: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
  /** Its own names that the test looks at. */
  readonly shows?: readonly string[];
}

const folder = join(import.meta.dirname, ".out");

/** Where the imports of the documents come from here. */
const packages: Readonly<Record<string, string>> = {
  "@mastra/core": "kumiko/mastra",
  "@mastra/core/tools": "kumiko/mastra",
  "@mastra/core/agent": "kumiko/mastra",
  "@mastra/core/workflows": "kumiko/mastra",
  "@mastra/core/di": "kumiko/mastra",
  "@mastra/mcp": "kumiko/mastra",
  "@mastra/rag": "../preamble.ts",
  "@ai-sdk/openai": "../preamble.ts",
};

/** What a block exports and shows, and what it printed. */
export interface BlockRun {
  readonly names: Readonly<Record<string, never>>;
  readonly printed: readonly string[];
}

/** Runs a block as a module of its own. */
export async function runBlock(block: Block, recipe: Recipe): Promise<BlockRun> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${block.document.replace(/\W/g, "-")}-${block.number}-${process.pid}.ts`);
  writeFileSync(path, moduleOf(block, recipe));
  const printed: string[] = [];
  const { log, error } = console;
  console.log = (...parts: unknown[]) => void printed.push(parts.map(String).join(" "));
  console.error = console.log;
  try {
    return { names: await import(/* @vite-ignore */ pathToFileURL(path).href), printed };
  } finally {
    Object.assign(console, { log, error });
  }
}

/** The source of a block, with its imports mapped, its names made, and its mistakes mended. */
export function moduleOf({ code, document, number }: Block, { needs = [], patches = [], shows = [] }: Recipe): string {
  let text = code;
  for (const { from, to, reason } of patches) {
    if (!text.includes(from))
      throw new Error(`Block ${number} of ${document} does not say what is to be mended: ${reason}`);
    text = text.replace(from, to);
  }
  text = text.replace(/from "([^"]+)"/g, (whole, name: string) => {
    const mapped = name.startsWith(".") ? "../preamble.ts" : (packages[name] ?? name);
    return mapped === name ? whole : `from "${mapped}"`;
  });
  const imports = needs.length === 0 ? "" : `import { ${needs.join(", ")} } from "../preamble.ts";\n`;
  const exports = shows.length === 0 ? "" : `\nexport { ${shows.join(", ")} };\n`;
  return `${imports}${text}${exports}`;
}
