import { parse } from "@unified-latex/unified-latex-util-parse";
import { headingNames, type LatexParts } from "../../../src/rag/chunking/latex/read-latex.js";
import type { TextSpan } from "../../../src/rag/chunking/span.js";

/** Reads a document with the parser of unified-latex; `undefined` if something in it is not closed, which is text for that one. */
export function readByUnifiedLatex(text: string): LatexParts | undefined {
  const nodes = parse(text).content as readonly LatexNode[];
  return hasFault(nodes) ? undefined : readParts(text, nodes);
}

/** What is read of a node of unified-latex. */
interface LatexNode {
  readonly type: string;
  readonly content?: unknown;
  readonly env?: unknown;
  readonly args?: readonly { readonly openMark: string; readonly content: readonly LatexNode[] }[];
  readonly position?: { readonly start: { readonly offset: number }; readonly end: { readonly offset: number } };
}

function hasFault(nodes: readonly LatexNode[]): boolean {
  const waiting = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { type, content } = node;
    if (type === "macro" && ["begin", "end", "[", "("].includes(String(content))) return true;
    if (type === "string" && ["{", "}", "$"].includes(String(content))) return true;
    if (Array.isArray(content)) waiting.push(...(content as LatexNode[]));
    for (const arg of node.args ?? []) waiting.push(...arg.content);
  }
  return false;
}

function readParts(text: string, nodes: readonly LatexNode[]): LatexParts {
  const document = nodes.find((node) => node.type === "environment" && nameOf(node) === "document");
  const parts = { headings: [] as LatexParts["headings"][number][], blocks: [] as LatexParts["blocks"][number][] };
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
  const body = document?.position?.start.offset ?? 0;
  return { ...parts, headings: parts.headings.filter(({ start }) => start >= body), body };
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

function spanOf({ position }: LatexNode): TextSpan | undefined {
  return position && { start: position.start.offset, end: position.end.offset };
}

/** The last argument in braces, as it is written. */
function titleOf(text: string, { args = [] }: LatexNode): string {
  const content = args.findLast(({ openMark }) => openMark === "{")?.content ?? [];
  const [start, end] = [content[0]?.position?.start.offset, endOf(text, content.at(-1))];
  return start === undefined || end === undefined ? "" : text.slice(start, end).replaceAll(/\s+/g, " ").trim();
}

/** Behind the arguments of a macro, which its place leaves out. */
function endOf(text: string, node: LatexNode | undefined): number | undefined {
  const end = node?.position?.end.offset;
  if (end === undefined || node?.args?.some(({ openMark }) => openMark === "{") !== true) return end;
  let depth = 0;
  for (let place = text.indexOf("{", end); place < text.length; place++) {
    if (text[place] === "{") depth++;
    if (text[place] === "}") depth--;
    if (depth === 0) return place + 1;
  }
  return end;
}
