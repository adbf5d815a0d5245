import fc from "fast-check";

/** How many documents each law is checked with; `npm run laws` sets 10,000. */
export const documentCount = Number(process.env.KUMIKO_DOCUMENTS ?? 100);

export const runs = { numRuns: documentCount };

const words = fc.constantFrom(
  ..."a the Kumiko lattice of-wood joints 木 组子 接合 世界。你好！ やすみ Ünïcödé é e\u0301 👩‍👩‍👧 🇫🇷🇩🇪 👍🏽 ½ x1 12345 naïve… end. What? Yes! ".split(
    " ",
  ),
  "\ud83d",
  "supercalifragilisticexpialidocious",
  "\u00a0",
  "<|endoftext|>",
  "你好，世界。今天天气很好",
);
const breaks = fc.constantFrom(
  " ",
  " ",
  " ",
  "  ",
  "\t",
  "\n",
  "\n",
  "\n\n",
  "\r\n",
  "\r\n\r\n",
  "\n \n",
  "\u3000",
  "",
);

/** Texts of all kinds: some have a mark at the start, foreign line breaks, broken characters. */
export const proseTexts = fc
  .tuple(fc.constantFrom("", "", "", "\ufeff"), fc.array(fc.tuple(words, breaks), { maxLength: 80 }))
  .map(([start, parts]) => start + parts.map(([word, end]) => word + end).join(""));

const lines = [
  "# Title",
  "## Part ##",
  "### Deeper",
  "  # Indented",
  "#",
  "#no",
  "Title\n===",
  "Part\n---",
  "```ts\nconst a = 1;\n# no heading\n\nmore();\n```",
  "~~~",
  "```",
  "    # code\n",
  "> # quoted\n> text",
  "- item\n  # inner\n\n  more",
  "1. one\n2. two",
  "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
  "<div>\n# html\n</div>",
  "<!-- # comment",
  "-->",
  "***",
  "text with `code` and **bold**",
  "世界 你好。 第二句！",
  "",
  "",
];

export const markdownTexts = fc
  .tuple(
    fc.constantFrom("", "", "", "\ufeff", "---\ntitle: A\ntags: [a, b]\n---\n"),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...lines), proseTexts), fc.constantFrom("\n", "\n", "\n\n", "\r\n")), {
      maxLength: 14,
    }),
  )
  .map(([start, parts]) => start + parts.map(([line, end]) => line + end).join(""));

const latexLines = [
  "\\documentclass{article}",
  "\\title{Joints without nails}",
  "\\begin{document}",
  "\\end{document}",
  "\\section{Title}",
  "\\section*{Starred $x$}",
  "\\subsection[short]{Deeper}",
  "\\chapter{世界}",
  "\\paragraph{Run in} text",
  "\\begin{verbatim}\n\\section{no}\n\n  kept {\n\\end{verbatim}",
  "\\begin{itemize}\n\\item one\n\n\\item two\n\\end{itemize}",
  "\\[ \\frac{a}{b} \\]",
  "$a + b$ and \\verb|{| and \\{ \\$ \\%",
  "% \\section{no} {",
  "\\begin{equation}x\\end{equation}",
  "{ a brace",
  "\\end{itemize}",
  "$ 5",
];

/** Papers, of which some have no preamble, and some are broken. */
export const latexTexts = fc
  .tuple(
    fc.constantFrom("", "\ufeff", "\\documentclass{book}\n\\begin{document}\n"),
    fc.array(
      fc.tuple(
        fc.oneof(
          { arbitrary: fc.constantFrom(...latexLines.slice(0, -3)), weight: 6 },
          { arbitrary: proseTexts.map((text) => text.slice(0, 80)), weight: 6 },
          { arbitrary: fc.constantFrom(...latexLines), weight: 1 },
        ),
        fc.constantFrom("\n", "\n", "\n\n", "\r\n"),
      ),
      { maxLength: 12 },
    ),
    fc.constantFrom("", "\\end{document}\n"),
  )
  .map(([start, parts, end]) => start + parts.map((part) => part.join("")).join("") + end);

const tags = fc.constantFrom(
  ..."<p> </p> <div class='content'> </div> <h1> </h1> <h2 id=two> </h2> <b> </b> <br> <hr/> <ul><li> </li></ul> <table><tr><td> <td> </table> <pre>\n </pre> <script>hidden</script> <style>hidden</style> <template>hidden</template> <!--hidden--> &amp; &lt &notit; &#x1F600; &nosuch; <span </section> <section> <textarea> </textarea> < & <title>hidden</title> <svg> </svg>".split(
    " ",
  ),
);

/** Pages as people write them: tags that nobody closes, tables with text in the wrong place, half a tag. */
export const htmlTexts = fc
  .tuple(
    fc.constantFrom("", "", "\ufeff", "<!doctype html><html><body>"),
    fc.array(
      fc.oneof(
        tags,
        words,
        breaks,
        proseTexts.map((text) => text.slice(0, 60)),
      ),
      { maxLength: 50 },
    ),
  )
  .map(([start, parts]) => start + parts.join(""));

const keys = fc.constantFrom("a", "b", "title", "__proto__", "constructor", "1", "é", "世界", 'quo"te', "a/b", "");
const atoms = fc.oneof(
  fc.constantFrom("1e400", "12345678901234567890", "-0", "1.50", "true", "false", "null"),
  fc.oneof(words, fc.string()).map((text) => JSON.stringify(text)),
);

/** Texts of JSON, with blanks, numbers that no program can hold, and keys that come twice. */
export const jsonTexts = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atoms,
    fc.array(tie("value"), { maxLength: 6 }).map((items) => `[${items.join(" , ")}]`),
    fc
      .array(fc.tuple(keys, tie("value")), { maxLength: 6 })
      .map((members) => `{ ${members.map(([key, value]) => `${JSON.stringify(key)}:\n${value}`).join(",")} }`),
  ),
})).value;
