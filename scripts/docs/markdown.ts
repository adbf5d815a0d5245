/** Some lines of a page. */
export interface Passage {
  readonly page: string;
  /** The line of the page on which `text` begins, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface CodeBlock extends Passage {
  /** Whether the block is run, not only type-checked: a fence with `ts`, not `ts no-run="why"`. */
  readonly run: boolean;
  /** Whether its first line is `// continues`. */
  readonly continues: boolean;
  /** What stands before this block when it is checked: the set-up of the page, and the blocks that it continues. In page order. */
  readonly before: readonly Passage[];
  /** What the block must print: the text of a fence with `output` right after it. */
  readonly output?: Passage;
  /** What the compiler must say of the block: the text of a fence with `errors` right after it. */
  readonly errors?: Passage;
}

export interface Page {
  readonly blocks: readonly CodeBlock[];
  /** What would keep a block from being checked, or a reader from running it, each with page and line. */
  readonly problems: readonly string[];
}

interface Fence extends Passage {
  /** The words after the opening backticks. */
  readonly words: readonly string[];
  readonly endLine: number;
}

/** The summary of `<details>` around a set-up. */
export const setupSummary = "Set-up of this page";

const continues = /^\s*\/\/ continues\s*$/;
const reasonNotToRun = /^no-run="[^"]{8,}"$/;
const otherNames = ["typescript", "tsx", "mts", "js", "javascript", "jsx", "mjs"];

/** Reads the `ts` blocks of a page with what a reader sees above them: set-ups (`ts setup`), outputs and errors. */
export function parsePage(page: string, text: string): Page {
  const lines = text.split(/\r?\n/);
  const { fences, problems } = splitPage(page, lines);
  const setups: Passage[] = [];
  const blocks: CodeBlock[] = [];
  let chain: CodeBlock[] = [];
  let last: { readonly block: CodeBlock; readonly endLine: number } | undefined;

  for (const fence of fences) {
    const { line, words } = fence;
    const complain = (problem: string) => problems.push(`${page}:${line} ${problem}`);
    const passage: Passage = { page, line, text: fence.text };
    if (words.join(" ") === "ts setup") {
      setups.push(passage);
    } else if (words[0] === "ts") {
      const flags = words.slice(1);
      if (flags.some((flag) => !reasonNotToRun.test(flag)))
        complain(`"${flags.join(" ")}" is not known after ts: write no-run="the reason" or setup`);
      const goesOn = continues.test(fence.text.split("\n", 1)[0] ?? "");
      if (goesOn) {
        if (chain.length === 0) complain("continues nothing: no ts block stands before it");
      } else chain = [];
      const before = [...setups, ...chain].sort((a, b) => a.line - b.line);
      const block: CodeBlock = { ...passage, run: flags.length === 0, continues: goesOn, before };
      if (block.run && chain.some(({ run }) => !run)) complain("continues a block that is not run; mark both no-run");
      if (chain.some(({ errors }) => errors !== undefined)) complain("continues a block with errors; start anew");
      blocks.push(block);
      chain = [...chain, block];
      last = { block, endLine: fence.endLine };
    } else if (words[0] === "output" || words[0] === "errors") {
      const kind = words[0];
      const between = last && lines.slice(last.endLine, line - 2);
      if (last?.block.run === (kind === "output") && between?.every((row) => row.trim() === "")) {
        const block: CodeBlock = { ...last.block, [kind]: passage };
        blocks[blocks.length - 1] = block;
        chain = [...chain.slice(0, -1), block];
        last = undefined;
      } else if (kind === "output")
        complain("is the output of nothing: no ts block that is run stands right before it");
      else complain("are the errors of nothing: no ts no-run block stands right before them");
    } else if (otherNames.includes(words[0] ?? "")) {
      complain(`is a ${words[0]} block, which nothing checks: write ts`);
    }
  }
  return { blocks, problems: [...problems, ...findHiddenSetups(page, lines, setups)] };
}

/** Set-ups that a reader does not see or is not told of: those in comments, and in `<details>` of another name. */
function findHiddenSetups(page: string, lines: readonly string[], setups: readonly Passage[]): string[] {
  return [
    ...lines.flatMap((line, index) =>
      /^\s*<!--\s*setup\b/.test(line) ? [`${page}:${index + 1} hides a set-up: show it as "ts setup"`] : [],
    ),
    ...setups.flatMap(({ line }) => {
      const before = lines.slice(0, line);
      const opened = before.findLastIndex((row) => row.includes("<details>"));
      if (opened < 0 || before.slice(opened).some((row) => row.includes("</details>"))) return [];
      const told = before.slice(opened).some((row) => row.includes(`<summary>${setupSummary}</summary>`));
      return told ? [] : [`${page}:${opened + 1} folds a set-up away: its summary must be "${setupSummary}"`];
    }),
  ];
}

function splitPage(page: string, lines: readonly string[]): { fences: Fence[]; problems: string[] } {
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index++) {
    const fence = /^(\s*(?:>\s*)?)(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[index] ?? "");
    if (fence === null) continue;
    const indent = fence[1]?.length ?? 0;
    const closes = new RegExp(`^[\\s>]*${fence[2]}\`*~*\\s*$`);
    const first = index + 1;
    const end = lines.findIndex((candidate, at) => at > index && closes.test(candidate));
    if (end < 0) return { fences, problems: [`${page}:${first} is not closed`] };
    const text = lines.slice(first, end).map((inner) => inner.slice(indent));
    const words = fence[3]?.match(/[^\s"]+"[^"]*"|\S+/g) ?? [];
    fences.push({ page, line: first + 1, text: text.join("\n"), words, endLine: end + 1 });
    index = end;
  }
  return { fences, problems: [] };
}
