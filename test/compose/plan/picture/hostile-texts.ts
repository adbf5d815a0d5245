const pieces = [
  '"',
  "'",
  "\n",
  "\r\n",
  "\u2028",
  "<b>",
  "</script><script>",
  "-->",
  "%%{init: {}}%%",
  "end",
  "subgraph",
  "click n0",
  ";",
  "#35;",
  "&lt;",
  "&#60;",
  "]]>",
  "[",
  "]",
  "(",
  ")",
  "{",
  "}",
  "|",
  "`",
  "*",
  "\\",
  "\\n",
  "\\L",
  "\\G",
  "$$x$$",
  "1. a",
  "- a",
  "天气",
  "🌦",
  "\ud800",
  "\u0000",
  "\u0007",
  "\u007f",
  "a",
  "B",
  "__proto_",
  "@{ shape: x }",
  ":::done",
  "~",
  "^",
];

/** Texts that mean something in the languages of pictures; the same ones each time. */
export function hostileTexts(count: number): string[] {
  let seed = 42;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const text = (): string => Array.from({ length: 1 + next(6) }, () => pieces[next(pieces.length)]).join("");
  return [
    ...pieces.filter((piece) => piece !== "end"),
    ...Array.from({ length: count }, text).filter((key) => key !== "end"),
  ];
}
