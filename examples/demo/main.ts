import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runDocsDemo } from "./docs/run-docs.js";
import { Folder } from "./files/folder.js";
import { localModel } from "./local-model.js";
import { runDemo } from "./run-demo.js";

const usage = `Answers a question about the files of a folder with an agent that runs on this machine, without a key.

Usage: npm run demo -- [folder] [question]
       npm run demo -- --docs [question]

  folder     What to look into. Without it, this repository and the packages installed in it.
  question   What to find out, for instance
               "Who depends on zod, and why is it installed?"
               "Where is createTool defined?"
               "How many lines of TypeScript are in src?"
  --docs     Builds an index of this repository's docs in a SQLite file, and answers the question from it, with sources.
  --help     Shows this text.`;

const repository = dirname(dirname(import.meta.dirname));

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0); // the reader has seen enough: npm run demo | head
});
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const request = readArguments(args);
  if (typeof request === "number") return request;
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort(new Error("Stopped.")));
  try {
    const { isTTY, columns } = process.stdout;
    const write = (text: string) => process.stdout.write(text);
    const output = { signal: interrupt.signal, write, colors: hasColors(), width: columns };
    if (request.docs) {
      await runDocsDemo({ ...output, repository, question: request.words.join(" ").trim() || undefined });
      return 0;
    }
    const { folder, question } = await readRequest(request.words);
    const model = localModel({ wordsPerSecond: isTTY ? 60 : undefined }); // any other AgenticModel goes here
    await runDemo({ ...output, model, folder, question });
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return interrupt.signal.aborted ? 130 : 1;
  }
}

interface Request {
  /** The folder and the words of the question. */
  readonly words: readonly string[];
  /** Whether the docs of this repository are asked. */
  readonly docs: boolean;
}

/** What is asked for, or the exit code when there is nothing to do. */
function readArguments(args: readonly string[]): Request | number {
  try {
    const options = { help: { type: "boolean", short: "h" }, docs: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (!values.help) return { words: positionals, docs: values.docs === true };
    console.log(usage);
    return 0;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
}

/** What is asked about which folder, after a look at whether all of it can be read. */
async function readRequest([first, ...rest]: readonly string[]): Promise<{ folder: string; question: string }> {
  // a question alone is about this repository
  const asksOnly =
    first !== undefined && rest.length === 0 && first.trim().endsWith("?") && !existsSync(placeOf(first));
  const path = first === undefined || asksOnly ? repository : placeOf(first);
  const folder = await Folder.open(path).catch((error: Error) => {
    const hint =
      rest.length === 0 && /\s/.test(path) ? `\nTo ask about this repository: npm run demo -- . "${first}"` : "";
    throw new Error(error.message + hint);
  });
  const question = (asksOnly ? first : rest.join(" ")).trim();
  for (const word of question.split(/[\s"'`,;?!]+/)) await folder.check(word);
  return { folder: folder.root, question: question === "" ? defaultQuestion(folder.root) : question };
}

function defaultQuestion(folder: string): string {
  return existsSync(join(folder, "node_modules"))
    ? "Which dependencies are largest, who depends on them, and what does the changelog say?"
    : "What is in this folder?";
}

/** npm runs scripts where package.json is, and says where the user was. */
function placeOf(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}

function hasColors(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0";
  return process.stdout.isTTY === true && TERM !== "dumb";
}
