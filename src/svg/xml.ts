type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element without content. */
export function element(name: string, attributes: Attributes): string {
  return `<${name}${written(attributes)}/>`;
}

function written(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? short(value) : escaped(String(value))}"`)
    .join("");
}

/** At most one decimal. */
function short(value: number): number {
  return Math.round(value * 10) / 10;
}

export interface TextStyle {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly fill: string;
  readonly weight?: number;
  readonly isCode?: boolean;
  readonly anchor?: "middle" | "end";
  /** The room there is. What is longer ends in an ellipsis, and has the whole as its tooltip. */
  readonly width?: number;
}

const fonts = {
  text: "Inter, ui-sans-serif, system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif",
  code: "JetBrains Mono, ui-monospace, SF Mono, Menlo, Consolas, monospace",
};

/** A line of text. */
export function text(content: string, { x, y, size, fill, weight, isCode, anchor, width }: TextStyle): string {
  const whole = xmlText(content).replaceAll("\n", " ");
  const limit = width === undefined ? Number.POSITIVE_INFINITY : width / size;
  const shown = fitted(whole, limit, isCode === true ? 0.6 : 0.55);
  const attributes = written({
    x,
    y,
    fill,
    "font-family": fonts[isCode === true ? "code" : "text"],
    "font-size": size,
    "font-weight": weight,
    "text-anchor": anchor,
  });
  const tooltip = shown === whole ? "" : `<title>${escaped(whole)}</title>`;
  return `<text${attributes}>${tooltip}${escaped(shown)}</text>`;
}

/** Shortens a text to a width in ems, by the usual widths of letters: no font is asked. */
function fitted(whole: string, limit: number, letter: number): string {
  const letters = Array.from(whole);
  const widthOf = (character: string): number => (wide.test(character) ? 1.05 : letter);
  let width = letters.reduce((sum, character) => sum + widthOf(character), 0);
  if (width <= limit) return whole;
  while (letters.length > 1 && width > limit - letter) width -= widthOf(letters.pop() ?? "");
  return `${letters.join("").trimEnd()}…`;
}

/** East Asian letters and emoji, which are about twice as wide. */
const wide =
  /[\u{1100}-\u{11ff}\u{2e80}-\u{9fff}\u{ac00}-\u{d7ff}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{1f000}-\u{3ffff}]/u;

interface RoundedBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly radius: number;
}

/** The outline of a box with round corners, as the `d` of a path. */
export function roundedBox({ x, y, width, height, radius: r }: RoundedBox): string {
  const corner = (dx: number, dy: number): string => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  const [w, h] = [short(width - 2 * r), short(height - 2 * r)];
  return `M${short(x + r)} ${short(y)}h${w}${corner(r, r)}v${h}${corner(-r, r)}h${-w}${corner(-r, -r)}v${-h}${corner(r, -r)}z`;
}

/** Replaces what XML cannot contain: control characters and lone surrogates. */
export function xmlText(content: string): string {
  return content
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/(?!\n)\p{Cc}|[\ufffe\uffff]/gu, "\ufffd");
}

export function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
