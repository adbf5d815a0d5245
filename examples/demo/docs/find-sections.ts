import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { QueryResult, VectorStore } from "kumiko/rag";
import { docsIndex } from "./docs-index.js";
import { areAlike, wordsOfQuestion } from "./question-words.js";

/** A section of the docs that fits a question. */
export interface DocsSection {
  /** The path of the page in the repository. */
  readonly path: string;
  /** The line of the page on which `lines` begin, from 1. */
  readonly line: number;
  /** The headings above it. */
  readonly title: string;
  /** Two lines around the words that were found. */
  readonly lines: readonly string[];
  /** The whole passage. */
  readonly text: string;
}

export interface FoundSections {
  /** At most three, the best first. */
  readonly sections: readonly DocsSection[];
  /** Whether the passages have enough of the words of the question to answer it. */
  readonly isAnswered: boolean;
}

/** The share of the weight of a question's words that the best passages must have. */
const enough = 0.6;
const most = 3;

/** Finds the sections that fit a question best, by its words. */
export async function findSections(store: VectorStore, repository: string, question: string): Promise<FoundSections> {
  const words = wordsOfQuestion(question);
  const query = (queryText: string, topK: number) => store.query({ indexName: docsIndex, queryText, topK });
  const best = oneOfEachSection(await query(words.join(" "), 10)).slice(0, most);
  const { count } = await store.describeIndex(docsIndex);
  const weights = new Map<string, number>();
  let [all, found] = [0, 0];
  for (const word of words) {
    // the store knows which forms of a word are the same
    const ids = new Set((await query(word, 4_096)).map(({ id }) => id));
    const weight = Math.log(1 + (count - ids.size + 0.5) / (ids.size + 0.5));
    weights.set(word, weight);
    all += weight;
    if (best.some(({ id }) => ids.has(id))) found += weight;
  }
  const sections = await Promise.all(best.map((passage) => sectionOf(passage, repository, weights)));
  return { sections, isAnswered: sections.length > 0 && found >= enough * all };
}

function oneOfEachSection(passages: readonly QueryResult[]): QueryResult[] {
  const keyOf = ({ metadata }: QueryResult) => JSON.stringify([metadata.path, metadata.headings]);
  return passages.filter((passage, at) => passages.findIndex((other) => keyOf(other) === keyOf(passage)) === at);
}

async function sectionOf(
  { metadata }: QueryResult,
  repository: string,
  weights: ReadonlyMap<string, number>,
): Promise<DocsSection> {
  const [path, text, headings] = [String(metadata.path), String(metadata.text), metadata.headings as readonly string[]];
  const before = (await readFile(join(repository, path), "utf8")).slice(0, Number(metadata.start));
  const shown = linesAround(text, weights);
  return {
    path,
    line: before.split("\n").length + shown.at,
    title: headings.join(" › "),
    lines: shown.lines,
    text,
  };
}

/** The two lines that have most of the words, and where they begin. Headings and fences are named by the title already. */
function linesAround(text: string, weights: ReadonlyMap<string, number>): { at: number; lines: string[] } {
  const lines = text.split("\n").map((line, at) => ({ line, at }));
  const readable = lines.filter(({ line }) => !/^\s*(?:$|#{1,6} |```|[|\s:-]+$)/.test(line));
  const scored = readable.map((first, index) => {
    const next = readable[index + 1];
    const pair = next === undefined || next.at > first.at + 2 ? [first] : [first, next];
    // of equals, the pair that begins with the words
    const score = scoreOf(pair.map(({ line }) => line).join(" "), weights) + 0.1 * scoreOf(first.line, weights);
    return { pair, score };
  });
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one), {
    pair: readable.slice(0, 2),
    score: 0,
  });
  return { at: best.pair[0]?.at ?? 0, lines: best.pair.map(({ line }) => line.trim()) };
}

function scoreOf(text: string, weights: ReadonlyMap<string, number>): number {
  const words = wordsOfQuestion(text);
  let score = 0;
  for (const [word, weight] of weights) if (words.some((other) => areAlike(word, other))) score += weight;
  return score;
}
