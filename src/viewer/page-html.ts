/** The document of the page. `base` is the path below which `api/` and `assets/` are, with a slash at its end. */
export function pageHtml(base: string): string {
  const path = escapeAttribute(base);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="referrer" content="no-referrer"><title>kumiko</title>',
    `<link rel="icon" href="${icon}"><link rel="stylesheet" href="${path}assets/page.css">`,
    `</head><body data-base="${path}"><div id="app"></div><script src="${path}assets/page.js"></script></body></html>`,
  ].join("");
}

/** A hexagon with diagonals. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%233848b0' stroke-width='1.8' stroke-linejoin='round'%3E%3Cpath d='M12 2l8.7 5v10L12 22l-8.7-5V7zM12 2v20M3.3 7l17.4 10M20.7 7L3.3 17'/%3E%3C/svg%3E";

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
