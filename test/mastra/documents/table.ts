import type { Block } from "./read-blocks.js";
import type { Recipe } from "./run-block.js";

/** What is done with a block: it runs, or its types are compared with ours. */
export interface Case extends Recipe {
  readonly state: "runs" | "types fit";
  readonly shown: string;
}

const order = ["mastra-docs.md", "mastra-create-tool.md", "mastra-create-tool.zh.txt"];

/** The table of all blocks, as a page. */
export function tableOf(blocks: readonly Block[], caseOf: (block: Block) => Case): string {
  const sections = order.map((document) => {
    const rows = blocks.filter((block) => block.document === document).map((block) => rowOf(block, caseOf(block)));
    return `## ${document}\n\n| Block | State | What is checked | Fixed |\n| ---: | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `${head}\n${sections.join("\n")}`;
}

const head = `# The code blocks of Mastra's documents

Every code block of the documents that \`kumiko/mastra\` was made for, and how it behaves here. Imports of \`@mastra/core\` and
\`@mastra/mcp\` resolve to \`kumiko/mastra\`, and names that a block does not define come from a preamble. Errors in a block itself are
fixed for the reason in the last column. The compiler compares signatures and types; everything else runs. The tests write this
page.
`;

function rowOf({ number }: Block, { state, shown, patches = [] }: Case): string {
  return `| ${number} | ${state} | ${shown} | ${patches.map(({ reason }) => reason).join("; ")} |`;
}
