/** The words of a question that say what it is about, in lower case. A code name counts as a word and in its parts. */
export function wordsOfQuestion(question: string): string[] {
  return [...new Set(withCodeNames(question).split(/[^\p{L}\p{M}\p{N}]+/u))].filter(
    (word) => word !== "" && !tooCommon.has(word),
  );
}

/** A text in lower case, followed by the other forms of its code names: `addSwitch` is also "add switch", `NO_STORE` also "nostore". */
export function withCodeNames(text: string): string {
  const others = [...new Set(text.match(/[\p{L}\p{N}_$]+/gu))].flatMap((name) => {
    const parts = name.split(/[_$]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter((part) => part !== "");
    if (parts.length < 2) return [];
    // a search splits at underscores by itself, and not at capitals
    return /[_$]/.test(name) ? [parts.join(""), ...parts] : parts;
  });
  return [text, ...others].join(" ").toLowerCase();
}

/** Whether two words are most likely forms of one; only for what is shown, because the store has stems of its own. */
export function areAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const shared = Math.min(one.length, other.length, 5);
  return shared > 3 && Math.abs(one.length - other.length) < 4 && one.slice(0, shared) === other.slice(0, shared);
}

/** Words that say little about what a question is about. */
const tooCommon: ReadonlySet<string> = new Set(
  "a am an and any are as at be been but by can could d did do does doing don for from had has have having how i if in into is it its just ll m may me might mine my need no not of on or other our out re s shall should so some somebody someone something t than that the their them then there these they this those to us use used using ve want was we were what when where whether which while who whom whose why will with without would you your yours".split(
    " ",
  ),
);
