import ts from "typescript";
import type { Passage } from "./markdown.js";

/** The `@example` parts of the doc comments of a source file. */
export function findExamples(path: string, text: string): Passage[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const comments = new Map<number, ts.JSDoc>();
  const visit = (node: ts.Node): void => {
    for (const comment of ts.getJSDocCommentsAndTags(node)) {
      if (ts.isJSDoc(comment)) comments.set(comment.pos, comment);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...comments.values()]
    .sort((a, b) => a.pos - b.pos)
    .flatMap((comment) => {
      const line = source.getLineAndCharacterOfPosition(comment.pos).line + 1;
      return splitComment(text.slice(comment.pos, comment.end)).map((example) => ({
        page: path,
        line: line + example.line,
        text: example.text,
      }));
    });
}

/** Examples of one comment; their `line` counts from 0 at the first line of the comment. */
function splitComment(comment: string): { line: number; text: string }[] {
  const examples: { line: number; lines: string[] }[] = [];
  let inside = false;
  for (const [line, raw] of comment.replace(/\*\/$/, "").split(/\r?\n/).entries()) {
    const content = raw.replace(/^\s*\/?\*{1,2} ?/, "");
    const start = /^\s*@example\b(.*)$/.exec(content);
    if (start !== null) {
      examples.push({ line, lines: [start[1] ?? ""] });
      inside = true;
    } else if (/^@\w/.test(content)) {
      inside = false;
    } else if (inside) {
      examples.at(-1)?.lines.push(/^\s*```/.test(content) ? "" : content);
    }
  }
  return examples.map(({ line, lines }) => ({ line, text: lines.join("\n").trimEnd() }));
}
