/**
 * Finds where a text stops being valid JSON: the position of the first unexpected character, or the length of a text that is
 * cut off. JavaScript engines report it in some messages only.
 */
export function jsonErrorPosition(text: string): number {
  const scan = new Scan(text);
  scan.space();
  let expected: State = "value";
  for (;;) {
    const next = step(scan, expected);
    if (next === undefined) return scan.position;
    scan.space();
    expected = next;
  }
}

/** The tokens that may come next. */
type State = "value" | "item or end" | "key or end" | "key" | "colon" | "comma or end";

class Scan {
  position = 0;
  /** The open arrays and objects, by their closing characters. */
  readonly open: ("]" | "}")[] = [];
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get char(): string {
    return this.text.charAt(this.position);
  }

  space(): void {
    this.match(/[ \t\n\r]*/y);
  }

  /** Moves past a match at the current position. */
  match(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    const found = pattern.test(this.text);
    if (found) this.position = pattern.lastIndex;
    return found;
  }
}

/** Reads one token; `undefined` if no valid token starts here. */
function step(scan: Scan, expected: State): State | undefined {
  const { char } = scan;
  switch (expected) {
    case "colon":
      return char === ":" ? skip(scan, "value") : undefined;
    case "comma or end":
      if (char === "," && scan.open.length > 0) return skip(scan, scan.open.at(-1) === "}" ? "key" : "value");
      return close(scan);
    case "key or end":
      return char === "}" ? close(scan) : key(scan);
    case "key":
      return key(scan);
    case "item or end":
      return char === "]" ? close(scan) : value(scan);
    case "value":
      return value(scan);
    default:
      return expected satisfies never;
  }
}

function skip(scan: Scan, next: State): State {
  scan.position += 1;
  return next;
}

function close(scan: Scan): State | undefined {
  const closing = scan.open.at(-1);
  if (closing === undefined || scan.char !== closing) return undefined;
  scan.open.pop();
  return skip(scan, "comma or end");
}

function key(scan: Scan): State | undefined {
  return scan.char === '"' && string(scan) ? "colon" : undefined;
}

function value(scan: Scan): State | undefined {
  const { char } = scan;
  if (char === "{" || char === "[") {
    scan.open.push(char === "{" ? "}" : "]");
    return skip(scan, char === "{" ? "key or end" : "item or end");
  }
  if (char === '"') return string(scan) ? "comma or end" : undefined;
  if (scan.match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)) return "comma or end";
  const word = ["true", "false", "null"].find((literal) => literal.startsWith(char) && char !== "");
  return word !== undefined && takeWord(scan, word) ? "comma or end" : undefined;
}

/** Reads a literal, up to the first character that differs. */
function takeWord(scan: Scan, word: string): boolean {
  for (const letter of word) {
    if (scan.char !== letter) return false;
    scan.position += 1;
  }
  return true;
}

/** Reads a string, up to the first character that is not allowed in it. */
function string(scan: Scan): boolean {
  scan.position += 1;
  for (; scan.position < scan.text.length; scan.position += 1) {
    const { char } = scan;
    if (char === '"') {
      scan.position += 1;
      return true;
    }
    if (char < " ") return false;
    if (char === "\\" && !takeEscape(scan)) return false;
  }
  return false;
}

/** Reads an escape, up to its last character. */
function takeEscape(scan: Scan): boolean {
  scan.position += 1;
  if (scan.char === "u") {
    if (!scan.match(/u[\dA-Fa-f]{4}/y)) return false;
    scan.position -= 1;
    return true;
  }
  return scan.char !== "" && '"\\/bfnrt'.includes(scan.char);
}
