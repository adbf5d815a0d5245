import fc from "fast-check";
import { MDocument } from "kumiko/rag";
import { describe, expect, it } from "vitest";
import { readLatex } from "../../../src/rag/chunking/latex/read-latex.js";
import { documentCount, latexTexts, runs } from "./documents.js";
import { readByUnifiedLatex } from "./unified-latex.js";

const paper = String.raw`\documentclass{article}
\title{Joints}
% \section{not this one}
\begin{document}
\maketitle
An introduction.

\section{Wood}
Cut along the grain.

\subsection*{Tools \emph{and} $x$}
\begin{verbatim}
\section{nor this one}

kept as it is
\end{verbatim}
Text with \verb|\section{x}| in it.

\section[Short]{Glue
  and nails}
None.
\end{document}
`;

const split = async (text: string, options: object = {}) =>
  MDocument.fromLaTeX(text, { id: "paper" }).chunk({ strategy: "latex", ...options });

describe("the strategy latex", () => {
  it("gives the preamble, and a chunk for each section, starred ones too", async () => {
    const chunks = await split(paper);
    expect(chunks.map(({ text }) => text.split("\n")[0])).toEqual([
      String.raw`\documentclass{article}`,
      String.raw`\begin{document}`,
      String.raw`\section{Wood}`,
      String.raw`\subsection*{Tools \emph{and} $x$}`,
      String.raw`\section[Short]{Glue`,
    ]);
    expect(chunks.at(-1)?.text).toContain(String.raw`\end{document}`);
  });

  it("names the headings around a chunk", async () => {
    const chunks = await split(paper, {
      headers: [
        ["section", "title"],
        ["subsection", "part"],
      ],
    });
    expect(chunks.map(({ metadata: { title, part } }) => [title, part])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ["Wood", undefined],
      ["Wood", String.raw`Tools \emph{and} $x$`],
      ["Glue and nails", undefined],
    ]);
  });

  it("begins chunks only at the headings that are named", async () => {
    const chunks = await split(paper, { headers: [["section", "title"]] });
    expect(chunks.map(({ metadata }) => metadata.title)).toEqual([undefined, undefined, "Wood", "Glue and nails"]);
  });

  it("keeps verbatim and other environments whole where they fit, and splits them at lines where they do not", async () => {
    const code = Array.from({ length: 12 }, (_, index) => `line ${index} of code`).join("\n\n");
    const text = `\\section{A}\nWords before it.\n\n\\begin{verbatim}\n${code}\n\\end{verbatim}\n\nWords behind it.\n`;
    const whole = await split(text, { size: 230 });
    expect(whole.map((chunk) => chunk.text.slice(0, 8))).toEqual(["\\section", "\\begin{v", "Words be"]);
    const parts = await split(text, { size: 60 });
    for (const { text: part } of parts) expect(part.length).toBeLessThanOrEqual(60);
    const lines = parts.flatMap((chunk) => chunk.text.match(/line \d+ of code/g) ?? []);
    expect(lines).toHaveLength(12);
  });

  it.each([
    ["\\begin{itemize} \\item a", "an environment has no end"],
    ["text \\end{itemize}", "an environment has no beginning"],
    ["a { brace", "a brace has no counterpart"],
    ["price: $ 5", "a formula has no end"],
    ["\\[ x", "a formula has no end"],
    ["\\section{open", "a brace has no counterpart"],
    ["{".repeat(20_000) + "}".repeat(20_000), "stack"],
  ])("splits what is broken as any text, and says why: %.20s", async (broken, reason) => {
    const text = `First paragraph.\n\n${broken}`;
    const chunks = await split(text, { size: 1_000 });
    expect(String(chunks[0]?.metadata.parseError)).toContain(reason);
    expect(chunks[0]?.text.startsWith("First paragraph.")).toBe(true);
  });

  it("takes signs that are escaped for what they are", async () => {
    const [chunk] = await split(String.raw`\section{A} 5\,\$, 10\,\%, \{ and \} % { $`);
    expect(chunk?.metadata).not.toHaveProperty("parseError");
  });

  it("finds the headings, environments and formulas that unified-latex finds", {
    timeout: 60_000 + documentCount * 100,
  }, () => {
    const signs = fc.constantFrom(
      ..."{ } $ $$ \\[ \\] \\( \\) \\{ \\$ \\% \\\\ % a b ~ & # \\section{ \\section*{x} \\section[s]{x} \\subsection{y} \\begin{a} \\end{a}".split(
        " ",
      ),
      ..."\\begin{equation} \\end{equation} \\begin{document} \\end{document} \\begin{verbatim} \\end{verbatim} \\verb|{|".split(
        " ",
      ),
      ..."\\emph{x} \\begin{minted}{c} \\end{minted} \\begin{alltt} \\end{alltt}".split(" "),
      ...[" ", "\n", "\r\n", "\n\n"],
    );
    const texts = fc.oneof(
      latexTexts,
      fc.array(signs, { maxLength: 14 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const found = readLatex(text);
        expect("fault" in found ? undefined : found).toEqual(readByUnifiedLatex(text));
      }),
      { ...runs, examples: [["\\section{\\section*{x}} \\section{a\\section[s]{x}}"]] },
    );
  });

  it("reads what other macros are defined as by its braces only", async () => {
    const text = String.raw`\newcommand{\be}{\begin{equation}}
\def\ee#1{\end{equation}}
\newenvironment{joint}[1][x]{\begin{center}$}
  {$\end{center}}
\newcommand*\cost{\$ {5}}
\renewcommand{\section}{\section}
\begin{document}
\section{Wood}
See \url{https://example.org/a%20b} and \lstinline|{|.
\end{document}`;
    const chunks = await split(text, { headers: [["section", "title"]] });
    expect(chunks.map(({ metadata }) => [metadata.title, metadata.parseError])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ["Wood", undefined],
    ]);
  });

  it("names the headings around the beginning of a chunk, those too at which no chunk begins", async () => {
    const text = "\\section{A}\n\\subsection{P}\nOne two three.\n\n\\section{B}\n\nFour five six seven.";
    const chunks = await split(text, { headers: [["subsection", "part"]], size: 34 });
    expect(chunks.map(({ text: part, metadata }) => [part.slice(0, 9), metadata.part])).toEqual([
      ["\\section{", undefined],
      ["\\subsecti", "P"],
      ["\\section{", undefined],
    ]);
  });

  it("is what documents are split by whose name or type says so", async () => {
    for (const source of [{ uri: "a.tex" }, { mimeType: "application/x-tex" }]) {
      const chunks = await MDocument.from({ text: paper, ...source }).chunk();
      expect(chunks).toHaveLength(5);
    }
  });

  it("refuses headings that LaTeX does not have", async () => {
    await expect(split(paper, { headers: [["#", "title"]] })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("part, chapter, section"),
    });
  });
});
