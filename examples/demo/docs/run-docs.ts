import { mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { sqliteVectors } from "kumiko/sqlite";
import { Terminal, type TerminalOptions } from "../terminal.js";
import type { DocsAnswer } from "./answer-from.js";
import { askDocs, indexFolder } from "./docs-index.js";

export interface DocsDemoOptions extends TerminalOptions {
  /** The repository whose `docs/` are asked. */
  readonly repository: string;
  /** @default a few questions */
  readonly question?: string | undefined;
  /** Where the index is kept. @default a file in node_modules/.cache */
  readonly file?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const questions = [
  "What happens to a run when its process is killed?",
  "How does a tool wait for somebody to agree?",
  "Which operators does a filter have?",
];

/** Builds an index of the docs of a repository in a SQLite file, and answers questions with sources. */
export async function runDocsDemo({
  repository,
  question,
  signal,
  ...options
}: DocsDemoOptions): Promise<DocsAnswer[]> {
  const { file = join(repository, "node_modules", ".cache", "kumiko-docs.db"), ...rest } = options;
  const terminal = new Terminal(rest);
  const folder = join(repository, "docs");
  mkdirSync(dirname(file), { recursive: true });
  const store = sqliteVectors(file);
  const answers: DocsAnswer[] = [];
  try {
    const chunks = await indexFolder(store, folder);
    const place = relative(repository, file);
    terminal.print(`${terminal.paint("dim", "Index     ")}${place}: ${chunks.length} chunks of docs/\n`);
    const ask = askDocs(store);
    for (const one of question === undefined ? questions : [question]) {
      const answer = await ask.invoke(one, { signal });
      answers.push(answer);
      printAnswer(terminal, one, answer, repository);
    }
  } finally {
    await terminal.settled();
    await store.close();
  }
  return answers;
}

function printAnswer(terminal: Terminal, question: string, { text, sources }: DocsAnswer, repository: string): void {
  terminal.print(`${terminal.paint("dim", "Question  ")}${question}`);
  terminal.print(`${terminal.paint("bold", "● ")}${text}`);
  for (const { path, line, title } of sources) {
    terminal.printLine("cyan", `  ${relative(repository, path)}:${line}  `, title);
  }
  terminal.print("");
}
