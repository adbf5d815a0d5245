/** What JSON may have to write in another way: quotes, backslashes, control characters, and what is not ASCII. */
const perhapsSpecial = /[^ !#-[\]-~]/;

/** A text as JSON. Asking whether there is anything to replace costs less than JSON.stringify does. */
export function quoted(text: string): string {
  return text.length > 200 || perhapsSpecial.test(text) ? JSON.stringify(text) : `"${text}"`;
}

const names = new Map<string, string>();
/** Graphs have fewer nodes than that; whoever makes graphs without end shall not fill the memory. */
const mostNames = 1_000;

/** The same for what is written again and again: keys and kinds of nodes. */
export function quotedName(name: string): string {
  let text = names.get(name);
  if (text === undefined) {
    if (names.size >= mostNames) names.clear();
    text = quoted(name);
    names.set(name, text);
  }
  return text;
}
