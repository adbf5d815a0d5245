/**
 * What a document keeps of an answer that a run has used, beside the id of its question: enough to tell whether one that comes
 * again is the same. `json`: the answer, as the codec writes it.
 */
export const answerMark = (id: string, json: string): string => `${id}=${hash(json)}`;

/** 64 bits, as text: two answers to one question are compared, not many. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (a >>> 15);
  }
  return [a, b].map((part) => (part >>> 0).toString(36)).join("");
}
