import { mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Model } from "kumiko/models";
import { sqliteVectors } from "kumiko/sqlite";
import { Terminal, type TerminalOptions } from "../terminal.js";
import { answerWithModel } from "./answer-with-model.js";
import { indexDocs } from "./docs-index.js";
import { type DocsSection, type FoundSections, findSections } from "./find-sections.js";

export interface DocsDemoOptions extends TerminalOptions {
  /** The repository whose `docs/` are asked. */
  readonly repository: string;
  /** @default a few questions */
  readonly question?: string | undefined;
  /** Answers from the sections. @default none: the sections are the answer */
  readonly model?: Model | undefined;
  /** Where the index is kept. @default a file in node_modules/.cache */
  readonly file?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many characters of a line are shown: rows of tables may have hundreds. */
const longest = 160;

/** What is asked when nothing else is. */
const questions = [
  "What happens to a run when its process is killed?",
  "How can I retry a node that fails?",
  "Which operators does a filter have?",
];

/** Finds the sections of the docs that fit a question, by words with stems in a SQLite file, and prints them or an answer from them. */
export async function runDocsDemo(options: DocsDemoOptions): Promise<FoundSections[]> {
  const { repository, question } = options;
  const { file = join(repository, "node_modules", ".cache", "kumiko-docs.db") } = options;
  const terminal = new Terminal(options);
  mkdirSync(dirname(file), { recursive: true });
  const store = sqliteVectors(file);
  const results: FoundSections[] = [];
  try {
    const ids = await indexDocs(store, repository);
    terminal.printField("Index", `${relative(repository, file)}: ${ids.length} passages of docs/`);
    for (const one of question === undefined ? questions : [question]) {
      terminal.print("");
      terminal.printField("Question", one);
      const found = await findSections(store, repository, one);
      await printResult(terminal, one, found, options);
      results.push(found);
    }
  } finally {
    await terminal.settled();
    await store.close();
  }
  return results;
}

async function printResult(
  terminal: Terminal,
  question: string,
  { sections, isAnswered }: FoundSections,
  { model, signal }: DocsDemoOptions,
): Promise<void> {
  if (model !== undefined) {
    const answer = answerWithModel(model, question, sections, signal);
    terminal.printStream("● ", answer.textStream);
    await answer.result;
    for (const [index, section] of sections.entries()) printPlace(terminal, `[${index + 1}] `, section);
  } else if (isAnswered) {
    terminal.print("No model answers here: these sections fit best.");
    for (const section of sections) {
      printPlace(terminal, "\n", section);
      for (const line of section.lines)
        terminal.print(`  ${line.length > longest ? `${line.slice(0, longest)}…` : line}`);
    }
  } else terminal.print(refusal(sections));
}

function refusal([nearest]: readonly DocsSection[]): string {
  const what = "The docs do not seem to say.";
  return nearest === undefined ? what : `${what} Nearest: ${nearest.title} (${nearest.path}:${nearest.line})`;
}

function printPlace(terminal: Terminal, mark: string, { title, path, line }: DocsSection): void {
  terminal.print(`${mark}${terminal.paint("bold", title)}  ${terminal.paint("cyan", `${path}:${line}`)}`);
}
