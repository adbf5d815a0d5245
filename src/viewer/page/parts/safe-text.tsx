/** @jsxImportSource preact */

/** Controls that change the order in which text is read, and so what it seems to say. */
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const pieces = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;

/** Text of users, models and tools: links are shown in full, and controls of direction by their names. */
export function SafeText({ text, hasLinks = true }: { readonly text: string; readonly hasLinks?: boolean }) {
  if (!bidi.test(text) && !(hasLinks && text.includes("://"))) return <>{text}</>;
  return <>{text.split(pieces).map((piece) => pieceOf(piece, hasLinks))}</>;
}

function pieceOf(piece: string, hasLinks: boolean) {
  if (piece.length === 1 && bidi.test(piece)) {
    return <span class="control">U+{piece.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}</span>;
  }
  if (!hasLinks || !/^https?:\/\//.test(piece)) return piece;
  return (
    <a href={piece} target="_blank" rel="noreferrer noopener">
      {piece}
    </a>
  );
}
