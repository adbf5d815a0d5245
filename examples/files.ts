// A folder with a PDF and a LaTeX document is split into chunks that know their position: the page, or the heading.
// Both files are created here in a temporary folder; DOCX, HTML, Markdown and text work the same way.
// expect: manual.pdf, page 1: Slats of hinoki
// expect: manual.pdf, page 2: A plane with a groove
// expect: notes.tex, Joints: \section{Joints} No glue and no nails.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { MDocument } from "kumiko/rag";
import { directoryLoader } from "kumiko/rag/files";

const folder = mkdtempSync(join(tmpdir(), "kumiko-files-"));
writeFileSync(join(folder, "manual.pdf"), pdfOf(["Slats of hinoki", "A plane with a groove"]));
writeFileSync(
  join(folder, "notes.tex"),
  "\\documentclass{article}\n\\begin{document}\n\\section{Joints}\nNo glue and no nails.\n\\end{document}\n",
);

try {
  for (const { id, content, metadata } of await directoryLoader().load({ uri: folder })) {
    const name = basename(String(metadata?.uri));
    const isLatex = name.endsWith(".tex");
    const chunks = isLatex
      ? await MDocument.fromLaTeX(content, { id }).chunk({ strategy: "latex", headers: [["section", "title"]] })
      : await MDocument.from({ id, text: content, metadata }).chunk({ size: 30 });
    for (const { text, metadata: at } of chunks) {
      const where = isLatex ? (at.title ?? "preamble") : `page ${at.pages}`;
      console.log(`${name}, ${where}: ${text.replaceAll("\n", " ")}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Creates a small PDF with one line on each page. */
function pdfOf(pages: readonly string[]): string {
  const kids = pages.map((_, n) => `${4 + 2 * n} 0 R`).join(" ");
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...pages.flatMap((line, n) => {
      const shown = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents ${5 + 2 * n} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
        `<</Length ${shown.length}>>stream\n${shown}\nendstream`,
      ];
    }),
  ];
  let body = "%PDF-1.7\n";
  const offsets = objects.map((object, n) => {
    const offset = body.length;
    body += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  return `${body}${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`;
}
