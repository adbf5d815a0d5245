/** What JSON may have to write in another way: quotes, backslashes, control characters, and what is not ASCII. */
const perhapsSpecial = /[^ !#-[\]-~]/;

/** A text as JSON. Asking whether there is anything to replace costs less than JSON.stringify does. */
export function quoted(text: string): string {
  return text.length > 200 || perhapsSpecial.test(text) ? JSON.stringify(text) : `"${text}"`;
}
