import {
  type AgenticMessage,
  type AgenticModel,
  concatMessages,
  consoleTracer,
  RequestContext,
  systemMessage,
  userMessage,
} from "kumiko";
import { createAgent } from "./agent.js";
import { Folder, folderKey } from "./files/folder.js";
import { showRun } from "./show-run.js";
import { Terminal, type TerminalOptions } from "./terminal.js";

export interface DemoOptions extends TerminalOptions {
  /** Any model: this is the only place that knows which one it is. */
  readonly model: AgenticModel;
  /** The path of the folder that the question is about; nothing outside of it is read. */
  readonly folder: string;
  readonly question: string;
  readonly signal?: AbortSignal | undefined;
}

const instructions = `You answer questions about the files of one folder and about the packages installed in it. Look into \
the files with the tools before you answer; paths are relative to the folder. Say so when you cannot find the answer.`;

/** Answers a question about a folder, shows how, and gives back the answer. */
export async function runDemo({ model, folder, question, signal, ...options }: DemoOptions): Promise<AgenticMessage> {
  const opened = await Folder.open(folder);
  const terminal = new Terminal(options);
  terminal.print(`${terminal.paint("dim", "Folder    ")}${opened.root}`);
  terminal.print(`${terminal.paint("dim", "Question  ")}${question}\n`);

  const trace: string[] = [];
  const tracer = consoleTracer({
    write: (text) => trace.push(text),
    colors: options.colors,
    maxLength: Math.max(40, terminal.width - 60),
  });
  const answer: AgenticMessage[] = [];
  try {
    const chunks = createAgent(model).stream([systemMessage(instructions), userMessage(question)], {
      callbacks: [showRun(terminal), tracer],
      requestContext: new RequestContext().set(folderKey, opened),
      signal,
    });
    for await (const chunk of chunks) answer.push(chunk);
  } finally {
    await terminal.settled();
    terminal.print(`\n${terminal.paint("bold", "Trace")}\n${trace.join("\n")}`);
    await terminal.settled();
  }
  return concatMessages(answer);
}
