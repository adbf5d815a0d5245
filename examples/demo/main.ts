import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chooseModel } from "./choose-model.js";
import { runDocsDemo } from "./docs/run-docs.js";
import { Folder } from "./files/folder.js";
import { beginThread, finishThread } from "./one-thread.js";
import { confirmAtTerminal, run, runInTwo } from "./processes.js";
import { runDemo } from "./run-demo.js";
import { sendSpans } from "./spans.js";
import { viewDemo } from "./view.js";

const usage = `An agent that looks into a folder. Without a question it shows, in one conversation: streamed text and parallel tools;
a tool that asks, while the process ends and another one goes on; a sub-agent, and an answer that is a value.

Usage: npm run demo -- [folder] [question] [--trace]
       npm run demo -- --docs [question]
       npm run demo -- --workers
       npm run demo -- --view

  folder     What to look into. Without it, this repository and the packages installed in it.
  question   Only answers this, for instance
               "Who depends on zod, and why is it installed?"
               "Where is createTool defined?"
               "How many lines of TypeScript are in src?"
  --docs     Indexes this repository's docs in a SQLite file, and prints the sections that fit the question best. With a model,
             an agent answers from them.
  --workers  Three processes share orders: one is killed, another goes on, and a fourth answers what an order asks.
  --view     Opens the viewer with two runs that wait for your answer. Without a terminal it only prints the address.
  --trace    Shows the rest: all lines of answers and tools, what sub-agents do, what ran where, and the trace.
  --otlp     Also sends the trace to a collector: --otlp http://localhost:4318
  --help     Shows this text.

It needs neither a key nor a server: rules stand in for the language model. It takes a model instead when one of these is set:
  KUMIKO_BASE_URL   a server that speaks the API of OpenAI, such as http://localhost:11434/v1 (KUMIKO_API_KEY: its key)
  OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, XAI_API_KEY
  KUMIKO_MODEL      the name of the model; otherwise the first of the server, or a small one of the provider`;

const repository = dirname(dirname(import.meta.dirname));

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0); // the reader has seen enough: npm run demo | head
});
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const request = readArguments(args);
  if (typeof request === "number") return request;
  if (request.workers) return run([join(repository, "examples", "workers.ts")]);
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort(new Error("Stopped.")));
  const { isTTY, columns } = process.stdout;
  const write = (text: string) => process.stdout.write(text);
  const page = { signal: interrupt.signal, write, colors: hasColors(), width: columns };
  try {
    if (request.view) {
      await viewDemo({ repository, write, signal: interrupt.signal, isOpened: isTTY && !process.env.CI });
      return 0;
    }
    if (request.docs) {
      const { model, name, why, isRules } = await chooseModel(process.env);
      if (!isRules) write(`${"Model".padEnd(10)}${name}: ${why}\n`);
      const question = request.words.join(" ").trim() || undefined;
      await runDocsDemo({ ...page, repository, question, model: isRules ? undefined : model });
      return 0;
    }
    const { folder, question } = await readRequest(request.words);
    const chosen = await chooseModel(process.env, isTTY ? 60 : undefined);
    const { part, place, trace } = request;
    if (part === undefined) write(`${"Model".padEnd(10)}${chosen.name}: ${chosen.why}\n`);
    if (question === undefined && part === undefined)
      return await runInTwo(import.meta.filename, partArguments(folder, request));
    const spans = request.otlp === undefined ? undefined : sendSpans(request.otlp);
    const options = {
      ...page,
      trace,
      model: chosen.model,
      folder,
      callbacks: spans === undefined ? [] : [spans.handler],
    };
    try {
      if (question !== undefined) await runDemo({ ...options, question });
      else if (place !== undefined) {
        const go = part === "1" ? beginThread : finishThread;
        await go({ ...options, place, question: defaultQuestion(folder), confirm: confirmAtTerminal });
      }
    } finally {
      if (spans !== undefined) write(`\n${"OTLP".padEnd(10)}${await spans.finish()}\n`);
    }
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return interrupt.signal.aborted ? 130 : 1;
  }
}

/** What the two processes are told. */
function partArguments(folder: string, { otlp, trace }: Request): string[] {
  return [folder, ...(otlp === undefined ? [] : ["--otlp", otlp]), ...(trace ? ["--trace"] : [])];
}

interface Request {
  /** The folder and the words of the question. */
  readonly words: readonly string[];
  /** Whether the docs of this repository are asked. */
  readonly docs: boolean;
  /** Whether workers are shown, without a model. */
  readonly workers: boolean;
  /** Whether the viewer is opened. */
  readonly view: boolean;
  /** Whether everything is shown. */
  readonly trace: boolean;
  readonly otlp: string | undefined;
  /** Which of the two processes of the conversation this is; `undefined`: the one that starts them. */
  readonly part: string | undefined;
  /** What the two have in common. */
  readonly place: string | undefined;
}

/** What is asked for, or the exit code when there is nothing to do. */
function readArguments(args: readonly string[]): Request | number {
  try {
    const text = { type: "string" } as const;
    const flag = { type: "boolean" } as const;
    const options = {
      help: { ...flag, short: "h" },
      docs: flag,
      workers: flag,
      view: flag,
      trace: flag,
      otlp: text,
      part: text,
      place: text,
    };
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { help, docs = false, workers = false, view = false, trace = false, otlp, part, place } = values;
    if (otlp !== undefined && !URL.canParse(otlp)) throw new Error(`--otlp needs a URL, and "${otlp}" is none.`);
    if (!help) return { words: positionals, docs, workers, view, trace, otlp, part, place };
    console.log(usage);
    return 0;
  } catch (error) {
    const [sentence] = String(error instanceof Error ? error.message : error).split(/(?<=\.) To specify/);
    console.error(`${sentence} npm run demo -- --help lists the arguments.`);
    return 2;
  }
}

/** What is asked about which folder, after a look at whether all of it can be read. */
async function readRequest([first, ...rest]: readonly string[]): Promise<{
  folder: string;
  question: string | undefined;
}> {
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
  return { folder: folder.root, question: question === "" ? undefined : question };
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
