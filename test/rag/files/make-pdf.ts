/** A line of a page: its text, and how it is written down. */
export interface PdfLine {
  readonly text: string;
  /** `latin`: one byte a letter, in the encoding of Windows. `unicode`: two bytes, with a table that says what they are. */
  readonly font?: "latin" | "unicode";
}

/** A real PDF with these pages; one without lines is blank. */
export function makePdf(pages: readonly (readonly PdfLine[])[], { extra = "", trailer = "" } = {}): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  add("<</Type/Catalog/Pages 2 0 R>>");
  const first = 8;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(" ");
  add(`<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`);
  add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>");
  add("<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[5 0 R]/ToUnicode 6 0 R>>");
  add(
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 7 0 R/DW 1000>>",
  );
  add(stream(toUnicode));
  add(
    "<</Type/FontDescriptor/FontName/Any/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent 0/CapHeight 800/StemV 80>>",
  );
  pages.forEach((lines, index) => {
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents ${first + 2 * index + 1} 0 R/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>`,
    );
    add(stream(lines.map((line, row) => show(line, 800 - 20 * row)).join("\n")));
  });
  if (extra !== "") add(extra);
  let body = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\n`;
  return Buffer.from(`${body}${table}startxref\n${body.length}\n%%EOF\n`, "latin1");
}

const stream = (content: string): string => `<</Length ${content.length}>>\nstream\n${content}\nendstream`;

function show({ text, font = "latin" }: PdfLine, y: number): string {
  const bytes = font === "latin" ? Buffer.from(text, "latin1") : Buffer.from(text, "utf16le").swap16();
  return `BT /${font === "latin" ? "F1" : "F2"} 12 Tf 50 ${y} Td <${bytes.toString("hex")}> Tj ET`;
}

/** What two bytes are: themselves, in UTF-16. */
const toUnicode = [
  "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Any def /CMapType 2 def",
  "1 begincodespacerange <0000> <ffff> endcodespacerange",
  ...chunked(Array.from({ length: 256 }, (_, high) => high.toString(16).padStart(2, "0"))),
  "endcmap end end",
].join("\n");

/** A range stays within one first byte, and a hundred are the most of a list. */
function chunked(rows: readonly string[]): string[] {
  const lists: string[] = [];
  for (let start = 0; start < rows.length; start += 100) {
    const part = rows.slice(start, start + 100);
    lists.push(
      `${part.length} beginbfrange\n${part.map((row) => `<${row}00> <${row}ff> <${row}00>`).join("\n")}\nendbfrange`,
    );
  }
  return lists;
}
