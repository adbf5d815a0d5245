/**
 * The index terms of a text: its words in lower case. Chinese, Japanese and Korean text is indexed as n-grams of one to three
 * characters, because it has no spaces between words.
 */
export function termsOf(text: string): string[] {
  return runsOf(text).flatMap((run) => (cjk.test(run) ? gramsOf(run, [1, 2, 3]) : [run]));
}

/** The terms of a query, which has no operators. Chinese, Japanese and Korean text is searched by its longest n-grams. */
export function queryTermsOf(text: string): string[] {
  const terms = runsOf(text).flatMap((run) =>
    cjk.test(run) ? gramsOf(run, [Math.min(3, Array.from(run).length)]) : [run],
  );
  return [...new Set(terms)];
}

function runsOf(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(words) ?? [];
}

const cjkScripts = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\u30fc";
const cjk = new RegExp(`^[${cjkScripts}]`, "u");
const words = new RegExp(`[${cjkScripts}]+|(?:(?![${cjkScripts}])[\\p{L}\\p{M}\\p{N}])+`, "gu");

function gramsOf(run: string, lengths: readonly number[]): string[] {
  const characters = Array.from(run);
  return lengths.flatMap((length) =>
    Array.from({ length: Math.max(0, characters.length - length + 1) }, (_, index) =>
      characters.slice(index, index + length).join(""),
    ),
  );
}
