import { crc32 } from "node:zlib";

/** The parts of a DOCX, in WordprocessingML. */
export interface DocxParts {
  readonly body: string;
  /** Footnotes and endnotes, by their ids. */
  readonly footnotes?: Readonly<Record<string, string>>;
  readonly endnotes?: Readonly<Record<string, string>>;
  /** The title in the properties of the document. */
  readonly title?: string;
}

/** A real DOCX. */
export function makeDocx({ body, footnotes = {}, endnotes = {}, title }: DocxParts): Buffer {
  const notes = (kind: "footnote" | "endnote", texts: Readonly<Record<string, string>>) => {
    const items = Object.entries(texts).map(([id, text]) => `<w:${kind} w:id="${id}">${text}</w:${kind}>`);
    return `${head}<w:${kind}s ${namespace}>${items.join("")}</w:${kind}s>`;
  };
  const properties = `<cp:coreProperties xmlns:cp="${package_}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`;
  return zipOf({
    "[Content_Types].xml": `${head}<Types xmlns="${package_}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${word}.document.main+xml"/><Override PartName="/word/footnotes.xml" ContentType="${word}.footnotes+xml"/><Override PartName="/word/endnotes.xml" ContentType="${word}.endnotes+xml"/><Override PartName="/word/styles.xml" ContentType="${word}.styles+xml"/><Override PartName="/word/numbering.xml" ContentType="${word}.numbering+xml"/></Types>`,
    "_rels/.rels": relations([["officeDocument", "word/document.xml"]]),
    "word/_rels/document.xml.rels": relations([
      ["footnotes", "footnotes.xml"],
      ["endnotes", "endnotes.xml"],
      ["styles", "styles.xml"],
      ["numbering", "numbering.xml"],
      ["hyperlink", "https://example.com/a?b=1&amp;c=2", ' TargetMode="External"'],
    ]),
    "word/styles.xml": `${head}<w:styles ${namespace}>${style("Title", "Title")}${style("Heading1", "heading 1")}${style("Heading2", "heading 2")}</w:styles>`,
    "word/numbering.xml": `${head}<w:numbering ${namespace}>${list(0, "bullet")}${list(1, "decimal")}<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
    "word/footnotes.xml": notes("footnote", footnotes),
    "word/endnotes.xml": notes("endnote", endnotes),
    "word/document.xml": `${head}<w:document ${namespace}><w:body>${body}</w:body></w:document>`,
    ...(title === undefined ? {} : { "docProps/core.xml": head + properties }),
  });
}

/** A paragraph. */
export const paragraph = (content: string, properties = ""): string =>
  `<w:p>${properties === "" ? "" : `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`;
export const text = (value: string): string => `<w:r><w:t xml:space="preserve">${value}</w:t></w:r>`;
export const heading = (value: string, named: string): string => paragraph(text(value), `<w:pStyle w:val="${named}"/>`);
/** An item of a list: 1 has bullets, 2 numbers. */
export const item = (value: string, of: 1 | 2, level = 0): string =>
  paragraph(text(value), `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${of}"/></w:numPr>`);
export const reference = (kind: "footnote" | "endnote", id: string): string =>
  `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`;
export const link = (value: string): string => `<w:hyperlink r:id="r5">${text(value)}</w:hyperlink>`;
export const cell = (content: string, properties = ""): string =>
  `<w:tc>${properties === "" ? "" : `<w:tcPr>${properties}</w:tcPr>`}${content}</w:tc>`;
export const table = (rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows.map((cells) => `<w:tr>${cells.join("")}</w:tr>`).join("")}</w:tbl>`;

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const namespace =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const package_ = "http://schemas.openxmlformats.org/package/2006";
const word = "application/vnd.openxmlformats-officedocument.wordprocessingml";

function relations(targets: readonly (readonly [string, string, string?])[]): string {
  const kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const items = targets.map(
    ([type, target, more = ""], index) =>
      `<Relationship Id="r${index + 1}" Type="${kind}/${type}" Target="${target}"${more}/>`,
  );
  return `${head}<Relationships xmlns="${package_}/relationships">${items.join("")}</Relationships>`;
}

const style = (id: string, name: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;

const list = (id: number, format: string): string =>
  `<w:abstractNum w:abstractNumId="${id}">${[0, 1].map((level) => `<w:lvl w:ilvl="${level}"><w:numFmt w:val="${format}"/></w:lvl>`).join("")}</w:abstractNum>`;

/** An archive whose files are stored as they are. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const [key, data] = [Buffer.from(name), Buffer.from(content)];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    // Node.js 20 has no crc32, and readers do not check it
    local.writeUInt32LE(typeof crc32 === "function" ? crc32(data) : 0, 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(data.length, 22);
    local.writeUInt16LE(key.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    local.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(at, 42);
    parts.push(local, key, data);
    entries.push(entry, key);
    at += local.length + key.length + data.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}
