/** Some lines of a page. */
export interface Passage {
  readonly page: string;
  /** The line of the page on which `text` begins, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface CodeBlock extends Passage {
  /** Whether the block is run, not only type-checked: a fence with `ts`, not `ts no-run`. */
  readonly run: boolean;
  /** What stands before this block when it is checked: hidden set-ups, and the blocks that it continues. In page order. */
  readonly before: readonly Passage[];
  /** What the block must print: the text of a fence with `output` right after it. */
  readonly output?: Passage;
  /** What the compiler must say of the block: the text of a fence with `errors` right after it. */
  readonly errors?: Passage;
}

export interface Page {
  readonly blocks: readonly CodeBlock[];
  /** What would keep a block from being checked, each with page and line. */
  readonly problems: readonly string[];
}

interface Fence extends Passage {
  readonly kind: "fence";
  /** The words after the opening backticks. */
  readonly words: readonly string[];
  readonly endLine: number;
}
interface Setup extends Passage {
  readonly kind: "setup";
}

const continues = /^\s*\/\/ continues\s*$/;
const otherNames = ["typescript", "tsx", "mts", "js", "javascript", "jsx", "mjs"];

/** Reads the `ts` blocks of a page, with set-ups that are hidden (`<!-- setup: … -->`) or shown (`ts setup`), expected outputs and expected errors. */
export function parsePage(page: string, text: string): Page {
  const lines = text.split(/\r?\n/);
  const { parts, problems } = splitPage(page, lines);
  const setups: Setup[] = [];
  const blocks: CodeBlock[] = [];
  let chain: CodeBlock[] = [];
  let last: { readonly block: CodeBlock; readonly endLine: number } | undefined;

  for (const part of parts) {
    const complain = (problem: string) => problems.push(`${page}:${part.line} ${problem}`);
    if (part.kind === "setup") {
      setups.push(part);
    } else if (part.words.join(" ") === "ts setup") {
      setups.push({ ...part, kind: "setup" });
    } else if (part.words[0] === "ts") {
      const flags = part.words.slice(1);
      if (flags.some((flag) => flag !== "no-run"))
        complain(`"${flags.join(" ")}" is not known after ts; "no-run" and "setup" are`);
      if (continues.test(part.text.split("\n", 1)[0] ?? "")) {
        if (chain.length === 0) complain("continues nothing: no ts block stands before it");
      } else chain = [];
      const before = [...setups, ...chain].sort((a, b) => a.line - b.line);
      const block: CodeBlock = { page, line: part.line, text: part.text, run: flags.length === 0, before };
      if (block.run && chain.some(({ run }) => !run)) complain("continues a block that is not run; mark both no-run");
      if (chain.some(({ errors }) => errors !== undefined)) complain("continues a block with errors; start anew");
      blocks.push(block);
      chain = [...chain, block];
      last = { block, endLine: part.endLine };
    } else if (part.words[0] === "output" || part.words[0] === "errors") {
      const kind = part.words[0];
      const between = last && lines.slice(last.endLine, part.line - 2);
      if (last?.block.run === (kind === "output") && between?.every((line) => line.trim() === "")) {
        const block: CodeBlock = { ...last.block, [kind]: { page, line: part.line, text: part.text } };
        blocks[blocks.length - 1] = block;
        chain = [...chain.slice(0, -1), block];
        last = undefined;
      } else if (kind === "output")
        complain("is the output of nothing: no ts block that is run stands right before it");
      else complain("are the errors of nothing: no ts no-run block stands right before them");
    } else if (otherNames.includes(part.words[0] ?? "")) {
      complain(`is a ${part.words[0]} block, which nothing checks: write ts`);
    }
  }
  return { blocks, problems };
}

/** The fences and set-ups of a page. */
function splitPage(page: string, lines: readonly string[]): { parts: (Fence | Setup)[]; problems: string[] } {
  const parts: (Fence | Setup)[] = [];
  const problems: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const fence = /^(\s*(?:>\s*)?)(`{3,}|~{3,})\s*([^`]*)$/.exec(line);
    const setup = /^\s*<!--\s*setup:/.exec(line);
    if (fence === null && setup === null) continue;
    const [indent, closes] =
      fence === null ? [0, /-->/] : [fence[1]?.length ?? 0, new RegExp(`^[\\s>]*${fence[2]}\`*~*\\s*$`)];
    const first = index + 1;
    const end = lines.findIndex(
      (candidate, at) => (fence === null ? at >= index : at > index) && closes.test(candidate),
    );
    if (end < 0) {
      problems.push(`${page}:${first} is not closed`);
      break;
    }
    if (fence !== null) {
      const text = lines.slice(first, end).map((inner) => inner.slice(indent));
      const words = (fence[3] ?? "").split(/\s+/).filter((word) => word !== "");
      parts.push({ kind: "fence", page, line: first + 1, text: text.join("\n"), words, endLine: end + 1 });
    } else {
      const text = lines.slice(index, end + 1).join("\n");
      parts.push({
        kind: "setup",
        page,
        line: first,
        text: text.replace(/^\s*<!--\s*setup:/, "").replace(/-->.*$/, ""),
      });
    }
    index = end;
  }
  return { parts, problems };
}
