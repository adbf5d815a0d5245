const byExtension: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  html: "text/html",
  htm: "text/html",
  json: "application/json",
  tex: "application/x-tex",
  txt: "text/plain",
  csv: "text/csv",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
};

/** The MIME type of a file, by its extension. */
export function mimeTypeOf(path: string): string {
  const [, extension = ""] = /\.([A-Za-z0-9]+)$/.exec(path) ?? [];
  const name = extension.toLowerCase();
  return Object.hasOwn(byExtension, name) ? (byExtension[name] ?? "text/plain") : "text/plain";
}
