import { readFile } from "node:fs/promises";
import type { Document } from "kumiko";
import { tooCommon, wordsOf } from "./hashed-embedder.js";

export interface DocsAnswer {
  readonly text: string;
  /** Where it stands, the best first. */
  readonly sources: readonly DocsSource[];
}

export interface DocsSource {
  readonly path: string;
  readonly line: number;
  /** The headings above it. */
  readonly title: string;
}

/** Answers with the sentences that have most of the words of the question. A model would write an answer of its own here. */
export async function answerFrom(question: string, found: readonly Document[]): Promise<DocsAnswer> {
  const wanted = new Set(wordsOf(question).filter((word) => !tooCommon.has(word)));
  const sentences = found.flatMap(({ content }) => sentencesOf(content));
  const best = sentences
    .map((text, index) => ({ text, index, score: scoreOf(text, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, 2);
  const text = best.map((sentence) => sentence.text).join(" ");
  return {
    text: text === "" ? "The docs say nothing about that." : text,
    sources: text === "" ? [] : await Promise.all(found.map(sourceOf)),
  };
}

/** Plain sentences: no headings, tables and code. */
function sentencesOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/^(?:#|\||\s*$).*$/gm, "\n");
  return prose
    .split(/\n{2,}|\n(?=\s*[-*] )|(?<=[.!?])\s+(?=[\p{Lu}`"*])/u)
    .map((sentence) =>
      sentence
        .replace(/^[-*]\s+/, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((sentence) => wordsOf(sentence).length > 3);
}

/** How many of the words it has, and little else. */
function scoreOf(sentence: string, wanted: ReadonlySet<string>): number {
  const words = wordsOf(sentence);
  const hits = new Set(words.filter((word) => wanted.has(word) || [...wanted].some((one) => sameStem(one, word))));
  return hits.size / Math.sqrt(words.length + 8);
}

const sameStem = (one: string, other: string): boolean =>
  one.length > 4 && other.length > 4 && one.slice(0, 5) === other.slice(0, 5);

async function sourceOf({ metadata }: Document): Promise<DocsSource> {
  const path = String(metadata.uri);
  const before = (await readFile(path, "utf8")).slice(0, Number(metadata.start));
  const title = [metadata.title, metadata.section].filter((part) => part !== undefined).join(" › ");
  return { path, line: before.split("\n").length, title };
}
