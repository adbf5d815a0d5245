import { searchText } from "./search-text.js";

/**
 * How the search finds pages. The functions run in the browser too, from their text: they use nothing around them.
 * `queries.ts` lists what must be found.
 */
export const miniSearch = {
  options: {
    /** Code names are words as a whole and in parts: `CANNOT_MERGE`, `maxSteps`. Of the titles around a section, as a whole. */
    tokenize: (text: string, field?: string): string[] =>
      (text.match(/[\p{L}\p{N}_$]+/gu) ?? []).flatMap((word) => {
        const parts = word
          .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
          .split(/[ _$]+/)
          .filter((part) => part.length > 1);
        return parts.length > 1 && field !== "titles" ? [word, ...parts] : [word];
      }),
    /** Plurals are found by their singulars; the commonest words are not looked for, nor the names of entities of HTML. */
    processTerm: (term: string): string | null => {
      const word = term.toLowerCase();
      if (
        /^(?:an?|the|of|to|is|are|in|its?|and|or|by|for|with|as|on|if|that|this|be|at|from|how|do|i|can|what|my|not|one|has|have|which|when|so|them|no|any|all|may|does|was|their|they|there|then|such|also|both|those|you|your|where|kumiko|quot|[gl]t|amp)$/.test(
          word,
        )
      )
        return null;
      return word.length > 4 && !word.includes("_") ? word.replace(/ies$/, "y").replace(/([^su])s$/, "$1") : word;
    },
  },
  searchOptions: {
    /** Also looks for what this project calls the thing. */
    processTerm: (term: string): string[] | null => {
      const word = term.toLowerCase();
      if (
        /^(?:an?|the|of|to|is|are|in|its?|and|or|by|for|with|as|on|if|that|this|be|at|from|how|do|i|can|what|my|not|one|has|have|which|when|so|them|no|any|all|may|does|was|their|they|there|then|such|also|both|those|you|your|where|kumiko|quot|[gl]t|amp)$/.test(
          word,
        )
      )
        return null;
      const names: Record<string, string[]> = {
        human: ["people"],
        approve: ["approval"],
        approval: ["people", "ask"],
        interrupt: ["people", "ask"],
        timeout: ["limit"],
        cache: ["caching"],
        cached: ["caching"],
        chunk: ["splitting"],
        chunking: ["splitting"],
        splitter: ["splitting"],
        sub: ["many"],
        subagent: ["many"],
        multi: ["many"],
        sse: ["event", "serving"],
        summarize: ["remember", "memory"],
        conversation: ["thread"],
        session: ["thread"],
        checkpoint: ["people"],
        embedding: ["vector"],
        rag: ["document", "retrieval"],
        mock: ["testing"],
        test: ["testing"],
      };
      const plain =
        word.length > 4 && !word.includes("_") ? word.replace(/ies$/, "y").replace(/([^su])s$/, "$1") : word;
      return [plain, ...(names[plain] ?? [])];
    },
    fuzzy: (term: string): number => (term.length > 5 ? 0.15 : 0),
    prefix: (term: string): boolean => term.length > 2,
    combineWith: "OR",
    boost: { title: 6, titles: 2, text: 1 },
    /** Guides come before the reference, except for code names; comparisons and lists of errors come after what they list. */
    boostDocument: (id: string, term: string): number => {
      if (id.includes("/coming-from-")) return 0.5;
      if (/(?:\/guides\/(?:errors|what-the-compiler-says)|\/(?:tool-calls|failures)-compared)\./.test(id)) return 0.5;
      if (id.includes("/reference/")) return term.includes("_") || term.length > 13 ? 1.5 : 0.15;
      // the first section of a page says what the page is about
      return id.includes("#") && !id.endsWith("-reference") ? 1 : 1.2;
    },
  },
} as const;

interface Renderer {
  render(source: string, env: object): string;
}

export const searchOptions = {
  miniSearch,
  _render: (source: string, env: { relativePath: string }, md: Renderer): string =>
    md.render(searchText(env.relativePath, source), env),
};
