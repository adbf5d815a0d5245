import { messageOf } from "../../../errors.js";
import { noPackage } from "../../errors.js";
import type { Heading } from "../heading-path.js";
import type { Span } from "../span.js";

/** The parts of a LaTeX document, or why it cannot be read. */
export type LatexDocument = LatexParts | { readonly fault: string };

export interface LatexParts {
  /** Where the preamble ends; 0 when there is none. */
  readonly body: number;
  readonly headings: readonly (Heading & { readonly start: number })[];
  /** Environments and formulas, which are kept whole where they fit. */
  readonly blocks: readonly LatexBlock[];
}

export interface LatexBlock extends Span {
  /** Whether its lines are all that can be told apart in it. */
  readonly isVerbatim: boolean;
}

/** The headings of LaTeX, from the highest. */
export const headingNames = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];

/** Reads a document with the parser of unified-latex. That one takes what is not closed for text: here it is a fault. */
export async function readLatex(text: string): Promise<LatexDocument> {
  const { parse } = await loadParser();
  let nodes: readonly LatexNode[];
  try {
    nodes = parse(text).content as readonly LatexNode[];
  } catch (error) {
    // what nests thousands deep
    return { fault: messageOf(error) };
  }
  const fault = findFault(text, nodes);
  return fault === undefined ? readParts(text, nodes) : { fault };
}

/** What is read of a node of unified-latex. */
interface LatexNode {
  readonly type: string;
  readonly content?: unknown;
  readonly env?: unknown;
  readonly args?: readonly { readonly openMark: string; readonly content: readonly LatexNode[] }[];
  readonly position?: { readonly start: { readonly offset: number }; readonly end: { readonly offset: number } };
}

async function loadParser() {
  try {
    return await import("@unified-latex/unified-latex-util-parse");
  } catch (cause) {
    throw noPackage("@unified-latex/unified-latex-util-parse", "Splitting LaTeX", cause);
  }
}

function findFault(text: string, nodes: readonly LatexNode[]): string | undefined {
  const waiting = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const problem = faultOf(node);
    if (problem !== undefined) {
      const offset = node.position?.start.offset ?? 0;
      return `${problem} (at ${offset}: ${JSON.stringify(text.slice(offset, offset + 30))})`;
    }
    if (Array.isArray(node.content)) waiting.push(...(node.content as LatexNode[]));
    for (const { content } of node.args ?? []) waiting.push(...content);
  }
  return undefined;
}

function faultOf({ type, content }: LatexNode): string | undefined {
  if (type === "macro" && content === "begin") return "an environment has no end";
  if (type === "macro" && content === "end") return "an environment has no beginning";
  if (type === "macro" && (content === "[" || content === "(")) return "a formula has no end";
  if (type !== "string") return undefined;
  if (content === "{" || content === "}") return "a brace stands alone";
  return content === "$" ? "a formula has no end" : undefined;
}

function readParts(text: string, nodes: readonly LatexNode[]): LatexParts {
  const document = nodes.find((node) => node.type === "environment" && nameOf(node) === "document");
  const parts = { headings: [] as LatexParts["headings"][number][], blocks: [] as LatexBlock[] };
  const visit = (inner: readonly LatexNode[]): void => {
    for (const node of inner) {
      const span = spanOf(node);
      if (span === undefined) continue;
      const depth = node.type === "macro" ? headingNames.indexOf(String(node.content)) : -1;
      if (depth >= 0) parts.headings.push({ start: span.start, depth, title: titleOf(text, node) });
      if (isTransparent(node)) visit(node.content as readonly LatexNode[]);
      else if (blockTypes.includes(node.type)) {
        parts.blocks.push({ ...span, isVerbatim: node.type === "verbatim" || listings.includes(nameOf(node)) });
      }
    }
  };
  visit(nodes);
  return { ...parts, body: document?.position?.start.offset ?? 0 };
}

const blockTypes = ["environment", "verbatim", "mathenv", "displaymath"];
const listings = ["lstlisting", "minted", "alltt"];

/** Environments around sections. */
const isTransparent = (node: LatexNode): boolean =>
  node.type === "environment" && ["document", "appendices", "subappendices"].includes(nameOf(node));

/** Its name is text, or a list of nodes. */
function nameOf({ env }: LatexNode): string {
  if (typeof env === "string") return env;
  const nodes = Array.isArray(env) ? (env as LatexNode[]) : [env as LatexNode];
  return nodes.map((node) => (typeof node?.content === "string" ? node.content : "")).join("");
}

function spanOf({ position }: LatexNode): Span | undefined {
  return position && { start: position.start.offset, end: position.end.offset };
}

/** The last argument in braces, as it is written. */
function titleOf(text: string, { args = [] }: LatexNode): string {
  const content = args.findLast(({ openMark }) => openMark === "{")?.content ?? [];
  const [start, end] = [content[0]?.position?.start.offset, content.at(-1)?.position?.end.offset];
  return start === undefined || end === undefined ? "" : text.slice(start, end).replaceAll(/\s+/g, " ").trim();
}
