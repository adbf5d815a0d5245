import type { defaultTreeAdapter as DefaultAdapter, DefaultTreeAdapterTypes } from "parse5";
import { loadPackage } from "../../../optional-package.js";
import type { SourcePiece } from "./align-text.js";
import type { SelectableElement } from "./selector.js";

/** An element that contains visible text. */
export class HtmlElement implements SelectableElement {
  readonly tagName: string;
  readonly parent: HtmlElement | undefined;
  /** The innermost enclosing block element. */
  readonly block: HtmlElement | undefined;
  /** The innermost enclosing table cell. */
  readonly cell: HtmlElement | undefined;
  /** Whether whitespace in its text is preserved. */
  readonly isVerbatim: boolean;
  readonly #attributes: DefaultTreeAdapterTypes.Element["attrs"];

  constructor({ tagName, attrs }: DefaultTreeAdapterTypes.Element, parent: HtmlElement | undefined) {
    this.tagName = tagName;
    this.#attributes = attrs;
    this.parent = parent;
    this.block = blocks.has(tagName) ? this : parent?.block;
    this.cell = tagName === "td" || tagName === "th" ? this : parent?.cell;
    this.isVerbatim = verbatim.has(tagName) || parent?.isVerbatim === true;
  }

  attribute(name: string): string | undefined {
    return this.#attributes.find((attribute) => attribute.name === name)?.value;
  }
}

const blocks = new Set(
  (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption " +
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search " +
    "section select summary table tbody textarea tfoot thead tr ul"
  ).split(" "),
);
const verbatim = new Set(["pre", "textarea", "listing"]);

/** A piece of text, with its range in the source. */
export interface HtmlText extends SourcePiece {
  readonly parent: HtmlElement;
}

export interface HtmlPage {
  readonly source: string;
  /** The text of its `title` element. */
  readonly title: string | undefined;
  readonly texts: readonly HtmlText[];
  /** Where block elements (and `br`) begin. */
  readonly breaks: readonly number[];
  /** Decodes a character reference such as `&amp;`. */
  readonly decode: (reference: string) => string;
}

/** Parses a page as browsers do, which accept any input. */
export async function readHtml(source: string): Promise<HtmlPage> {
  const { parse, parseFragment, defaultTreeAdapter } = await loadParser();
  const starts: ElementStarts = new Map();
  const treeAdapter = compactAdapter(defaultTreeAdapter, source, starts);
  const page = parse(source, { sourceCodeLocationInfo: true, scriptingEnabled: false, treeAdapter });
  const known = new Map<string, string>();
  const decode = (reference: string): string => {
    const found = known.get(reference) ?? textOf(parseFragment(reference));
    known.set(reference, found);
    return found;
  };
  return { source, ...collect(page, source, starts), decode };
}

/** Where block elements begin. */
type ElementStarts = Map<DefaultTreeAdapterTypes.Node, number>;

/**
 * Saves memory: the parser splits text at spaces and reports the location of each piece. Adjacent pieces are joined right away,
 * and while their text equals the source, only the range is kept. Texts that the parser moves are not joined, so that each
 * keeps its own range.
 */
function compactAdapter(adapter: typeof DefaultAdapter, source: string, starts: ElementStarts): typeof DefaultAdapter {
  /** The text inserted last; its location is reported next. */
  let piece: string | undefined;
  const append = (parent: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.TextNode => {
    const node = adapter.createTextNode(asWritten);
    adapter.appendChild(parent, node);
    return node;
  };
  const isWritten = (text: string, { startOffset, endOffset }: Place): boolean =>
    text.length === endOffset - startOffset && source.startsWith(text, startOffset);
  const extend = (node: DefaultTreeAdapterTypes.TextNode, text: string, place: Place): void => {
    const before = node.sourceCodeLocation ?? place;
    if (node.value !== asWritten || !isWritten(text, place)) node.value = textAt(source, node.value, before) + text;
    before.endOffset = place.endOffset;
  };
  return {
    ...adapter,
    insertText(parent, text) {
      piece = text;
      const last = parent.childNodes.at(-1);
      if (last === undefined || !adapter.isTextNode(last) || !last.sourceCodeLocation) append(parent);
    },
    insertTextBefore(parent, text, next) {
      adapter.insertBefore(parent, adapter.createTextNode(text), next);
    },
    getNodeSourceCodeLocation: () => null,
    setNodeSourceCodeLocation(node, place) {
      if (place === null) return;
      if (!adapter.isTextNode(node)) {
        if (blocks.has(node.nodeName)) starts.set(node, place.startOffset);
        return;
      }
      if (piece === undefined) node.sourceCodeLocation = place;
      else if (node.sourceCodeLocation?.endOffset === place.startOffset) extend(node, piece, place);
      else {
        const fresh = node.sourceCodeLocation && node.parentNode ? append(node.parentNode) : node;
        fresh.sourceCodeLocation = place;
        fresh.value = isWritten(piece, place) ? asWritten : piece;
      }
      piece = undefined;
    },
  };
}

/** Marks a text node whose text equals its range of the source. */
const asWritten = "";

function textAt(source: string, value: string, { startOffset, endOffset }: Place): string {
  return value === asWritten ? source.slice(startOffset, endOffset) : value;
}

type Place = NonNullable<DefaultTreeAdapterTypes.TextNode["sourceCodeLocation"]>;

const textOf = ({ childNodes: [first] }: DefaultTreeAdapterTypes.DocumentFragment): string =>
  first !== undefined && "value" in first ? first.value : "";

/** Elements whose text is not displayed. */
const hidden = new Set(["script", "style", "template", "title", "iframe", "noembed", "noframes"]);

/** Walks without recursion, because pages can be nested to any depth. */
function collect(
  page: DefaultTreeAdapterTypes.Document,
  source: string,
  starts: ElementStarts,
): Pick<HtmlPage, "title" | "texts" | "breaks"> {
  let title: string | undefined;
  const texts: HtmlText[] = [];
  const breaks: number[] = [];
  const waiting: DefaultTreeAdapterTypes.ChildNode[] = [];
  const parents: (HtmlElement | undefined)[] = [];
  const push = (nodes: readonly DefaultTreeAdapterTypes.ChildNode[], parent: HtmlElement | undefined): void => {
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index];
      if (node === undefined) continue;
      waiting.push(node);
      parents.push(parent);
    }
  };
  push(page.childNodes, undefined);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const parent = parents.pop();
    if ("tagName" in node) {
      title ??= titleIn(node, source);
      if (hidden.has(node.tagName)) continue;
      const start = starts.get(node);
      if (start !== undefined) breaks.push(start);
      push(node.childNodes, new HtmlElement(node, parent));
    } else if (node.nodeName === "#text" && "value" in node && node.sourceCodeLocation && parent !== undefined) {
      const { startOffset, endOffset: end } = node.sourceCodeLocation;
      const start = node.value === asWritten ? startOffset : startOfText(source, node.value, startOffset);
      texts.push({ value: textAt(source, node.value, node.sourceCodeLocation), start, end, parent });
    }
  }
  // the parser moves misplaced content out of tables
  texts.sort((a, b) => a.start - b.start);
  return { title, texts: joinPieces(texts), breaks: breaks.sort((a, b) => a - b) };
}

/** The text of the title of a page. Pictures in SVG have titles too. */
function titleIn(node: DefaultTreeAdapterTypes.Element, source: string): string | undefined {
  if (node.tagName !== "title" || !node.namespaceURI.endsWith("/xhtml")) return undefined;
  const text = node.childNodes
    .map((child) =>
      "value" in child && child.sourceCodeLocation ? textAt(source, child.value, child.sourceCodeLocation) : "",
    )
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim();
  return text === "" ? undefined : text;
}

/** For a text that begins with a character reference, the parser reports the end of the reference as the start. */
function startOfText(source: string, value: string, start: number): number {
  const first = source.charAt(start);
  if (first === value.charAt(0) || first === "\r") return start;
  const [reference = ""] = /&[#\w]*$/.exec(source.slice(Math.max(0, start - longestReference), start)) ?? [];
  return start - reference.length;
}

const longestReference = 64;

/** Joins the pieces of moved texts, which the parser splits at spaces. */
function joinPieces(texts: readonly HtmlText[]): HtmlText[] {
  const joined: HtmlText[] = [];
  for (let first = 0; first < texts.length; ) {
    const text = texts[first];
    if (text === undefined) break;
    let [whole, next] = [text, first + 1];
    for (let piece = texts[next]; piece?.parent === whole.parent && piece.start === whole.end; piece = texts[++next]) {
      whole = { ...whole, value: whole.value + piece.value, end: piece.end };
    }
    joined.push(whole);
    first = next;
  }
  return joined;
}

function loadParser() {
  return loadPackage("parse5", "Reading HTML", () => import("parse5"));
}
