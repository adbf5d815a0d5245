import { invalidBraces } from "./errors.js";
import type { CompiledText, TemplateSyntax } from "./template-syntax.js";
import { textOfValue } from "./variable-value.js";

type Piece = { readonly text: string } | { readonly variable: string };

/** The default syntax: `{name}` is a variable, and `{{` and `}}` are literal braces. */
export const braces = {
  name: "text with {variables}",
  compile(text: string): CompiledText {
    const pieces = readPieces(text);
    return {
      variables: pieces.flatMap((piece) => ("variable" in piece ? [piece.variable] : [])),
      render: (values) =>
        pieces
          .map((piece) => ("text" in piece ? piece.text : textOfValue(piece.variable, values[piece.variable])))
          .join(""),
    };
  },
} satisfies TemplateSyntax;

const variableName = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

function readPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]/g)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push(readPiece(text, found, index));
    end = index + found.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

function readPiece(text: string, found: string, at: number): Piece {
  if (found === "{{" || found === "}}") return { text: found.slice(1) };
  if (found === "{") throw invalidBraces(text, at, "A brace is opened but never closed");
  if (found === "}") throw invalidBraces(text, at, "A brace is closed but was never opened");
  const variable = found.slice(1, -1);
  if (!variableName.test(variable)) throw invalidBraces(text, at, `${found} is not a valid variable`);
  return { variable };
}
