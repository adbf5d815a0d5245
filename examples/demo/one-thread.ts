import { join } from "node:path";
import { type Handler, type Interrupt, RequestContext } from "kumiko";
import {
  type AgentResult,
  type AgentResumeOptions,
  type AgentStream,
  isToolApproval,
  type Turn,
  threads,
} from "kumiko/agents";
import type { Model } from "kumiko/models";
import { sqliteStore } from "kumiko/sqlite";
import { threadAgents } from "./agents.js";
import { Folder, folderKey } from "./files/folder.js";
import { countLine, countTable, Notebook, ranTwice, usageLines } from "./notebook.js";
import { collectTrace, showRun } from "./show-run.js";
import { Terminal, type TerminalOptions } from "./terminal.js";
import { reportsKey } from "./tools/save-report.js";

export interface ThreadOptions extends TerminalOptions {
  readonly model: Model;
  /** The folder that is asked about. */
  readonly folder: string;
  /** Where the thread is kept, and the notes of both processes. */
  readonly place: string;
  readonly question: string;
  /** Whether everything is shown: all lines, tables of what ran, and the trace. @default false */
  readonly trace?: boolean | undefined;
  /** What else watches the runs. */
  readonly callbacks?: readonly Handler[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Asks whoever sits at the terminal. */
  readonly confirm: (question: string) => Promise<boolean>;
}

const threadId = "demo";
const report = "Save a report about this folder.";
const survey = "Ask the surveyor for the numbers of files and lines, and for the largest file.";

/** Streamed text and parallel tools; then a tool that asks, where the process ends. */
export async function beginThread(options: ThreadOptions): Promise<void> {
  const { question } = options;
  await inProcess(options, async ({ guide, terminal, tell, run, callOptions }) => {
    tell(1, "Streamed text, and tools that run side by side", question);
    await run(guide.stream(question, { threadId, ...callOptions(1) }));
    tell(2, "A tool that asks before it runs", report);
    const held = await run(guide.stream(report, { threadId, ...callOptions(2) }));
    if (held.finishReason !== "waiting") {
      terminal.print("  The model called no tool that asks, so nothing waits.");
      return;
    }
    const asked = held.interrupts.filter(isToolApproval).map(({ info }) => info.toolName);
    terminal.print(`  ${asked.join(", ")} waits for an answer, and process ${process.pid} ends here.`);
  });
}

/** In another process: the answer, and a value that a sub-agent finds out. */
export async function finishThread(options: ThreadOptions): Promise<void> {
  await inProcess(options, async ({ guide, reporter, last, terminal, tell, run, callOptions, notebook }) => {
    if (last?.status === "waiting") {
      terminal.print(`\n  Process ${process.pid} knows all this from the store alone.`);
      const held = await guide.resume({ threadId });
      const interrupts: readonly Interrupt[] = held.interrupts;
      const answers: Record<string, { readonly approved: boolean }> = {};
      for (const interrupt of interrupts.filter(isToolApproval)) {
        const { toolName, input } = interrupt.info;
        terminal.printLine("cyan", `  ${toolName} `, JSON.stringify(input));
        await terminal.settled();
        answers[interrupt.id] = { approved: await options.confirm(`  May ${toolName} run?`) };
      }
      await run(guide.resumeStream({ threadId }, answers, callOptions(2)));
    }
    tell(3, "A sub-agent, and an answer that is a value", survey);
    const { output } = await run(reporter.stream(survey, { threadId, ...callOptions(3) }));
    terminal.print(`  = ${JSON.stringify(output)}`);

    const notes = await notebook.notes();
    const twice = ranTwice(notes);
    const verdict = twice.length === 0 ? "Nothing ran twice." : `Ran twice: ${twice.join("; ")}`;
    if (options.trace) {
      terminal.printPart("What ran, by process", [...countTable(notes), `  ${verdict}`]);
      terminal.printPart("Usage, by model", usageLines(notes));
    } else terminal.print(`\nTwo processes, one run of each call: ${countLine(notes)}. ${verdict}`);
  });
  const notebook = notebookIn(options);
  const lines = (await notebook.notes()).flatMap((note) => (note.type === "trace" ? note.lines : []));
  const terminal = new Terminal(options);
  if (options.trace) {
    terminal.printPart("Trace", lines);
    terminal.print("");
  }
  terminal.printField("Kept in", `${options.place}: the thread (thread.db) and the report`);
  if (!options.trace)
    terminal.printField("More", "npm run demo -- --trace shows all lines, what ran where, and the trace");
  await terminal.settled();
}

interface Stage {
  readonly guide: ReturnType<typeof threadAgents>["guide"];
  readonly reporter: ReturnType<typeof threadAgents>["reporter"];
  /** The last turn of the thread. */
  readonly last: Turn | undefined;
  readonly terminal: Terminal;
  readonly notebook: Notebook;
  callOptions(turn: number): AgentResumeOptions;
  tell(turn: number, what: string, prompt: string): void;
  /** Runs to the end, or to where it waits. */
  run<Output>(stream: AgentStream<Output>): Promise<AgentResult<Output>>;
}

function notebookIn({ place }: ThreadOptions): Notebook {
  return new Notebook(join(place, "notes.jsonl"));
}

/** All that one process has of the thread, and leaves of it. */
async function inProcess(options: ThreadOptions, work: (stage: Stage) => Promise<void>): Promise<void> {
  const { model, folder, place, signal, callbacks = [] } = options;
  const terminal = new Terminal(options);
  const notebook = notebookIn(options);
  await notebook.add({ type: "process", process: process.pid });
  const store = sqliteStore(join(place, "thread.db"));
  const trace = collectTrace(terminal, options.colors);
  const requestContext = new RequestContext()
    .set(folderKey, await Folder.open(folder))
    .set(reportsKey, join(place, "reports"));
  try {
    let last: Turn | undefined;
    for await (const turn of threads(store).turns(threadId)) last = turn;
    await work({
      ...threadAgents(model, store),
      ...{ last, terminal, notebook },
      callOptions: (turn) => ({
        callbacks: [
          showRun(terminal, { all: options.trace, maxLines: 6 }),
          notebook.counter(turn),
          trace.handler,
          ...callbacks,
        ],
        ...{ requestContext, signal },
      }),
      tell: (turn, what, prompt) => {
        terminal.print(`\n${terminal.paint("bold", `${turn}. ${what}`)}`);
        terminal.printField("You", prompt);
      },
      run: async (stream) => {
        const result = await stream.result;
        await terminal.settled();
        if (result.finishReason !== "waiting") await notebook.add({ type: "usage", usage: result.usageByModel });
        return result;
      },
    });
  } finally {
    await terminal.settled();
    await notebook.add({ type: "trace", lines: trace.lines });
    await store.close();
  }
}
