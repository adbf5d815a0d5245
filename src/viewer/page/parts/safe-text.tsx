/** @jsxImportSource preact */
import { bidi, nameOfControl } from "../../bidi.js";

const pieces = new RegExp(`(https?:\\/\\/[^\\s<>"'\`]+[^\\s<>"'\`.,;:!?)\\]}]|${bidi.source})`);

/** Text of users, models and tools: links are shown in full, and controls of direction by their names. */
export function SafeText({ text, hasLinks = true }: { readonly text: string; readonly hasLinks?: boolean }) {
  if (!bidi.test(text) && !(hasLinks && text.includes("://"))) return <>{text}</>;
  return <span>{text.split(pieces).map((piece) => pieceOf(piece, hasLinks))}</span>;
}

function pieceOf(piece: string, hasLinks: boolean) {
  if (piece.length === 1 && bidi.test(piece)) {
    return <span class="control">{nameOfControl(piece)}</span>;
  }
  if (!hasLinks || !/^https?:\/\//.test(piece)) return piece;
  return (
    <a href={piece} target="_blank" rel="noreferrer noopener">
      {piece}
    </a>
  );
}
