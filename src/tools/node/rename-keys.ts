/**
 * Renames top-level keys in the text of a JSON object. All else stays as it was written: a number with more digits than
 * JavaScript's has them still.
 */
export function renameKeys(object: string, names: ReadonlyMap<string, string>): string {
  let renamed = "";
  let copied = 0;
  let depth = 0;
  let expectsKey = false;
  for (let position = 0; position < object.length; position++) {
    const letter = object[position];
    if (letter === '"') {
      const end = endOfString(object, position);
      if (expectsKey && depth === 1) {
        const name = names.get(JSON.parse(object.slice(position, end)));
        if (name !== undefined) {
          renamed += object.slice(copied, position) + JSON.stringify(name);
          copied = end;
        }
      }
      expectsKey = false;
      position = end - 1;
    } else if (letter === "{" || letter === "[") {
      depth++;
      expectsKey = depth === 1;
    } else if (letter === "}" || letter === "]") depth--;
    else if (letter === ",") expectsKey = depth === 1;
  }
  return renamed + object.slice(copied);
}

/** The position behind the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}
