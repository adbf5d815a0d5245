import { type AgenticMessage, assistantMessage, type Handler, RequestContext } from "kumiko";
import type { Model } from "kumiko/models";
import { guideAgent } from "./agents.js";
import { Folder, folderKey } from "./files/folder.js";
import { collectTrace, showRun } from "./show-run.js";
import { Terminal, type TerminalOptions } from "./terminal.js";

export interface DemoOptions extends TerminalOptions {
  /** Any model: this is the only place that knows which one it is. */
  readonly model: Model;
  /** The path of the folder that the question is about; nothing outside of it is read. */
  readonly folder: string;
  readonly question: string;
  /** What else watches the run. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** Whether everything is shown, and the trace. @default false */
  readonly trace?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Answers one question about a folder, shows how, and gives back the answer. */
export async function runDemo(options: DemoOptions): Promise<AgenticMessage> {
  const { model, folder, question, signal, callbacks = [], trace: all = false, ...page } = options;
  const opened = await Folder.open(folder);
  const terminal = new Terminal(page);
  terminal.printField("Folder", opened.root);
  terminal.printField("Question", `${question}\n`);
  const trace = collectTrace(terminal, page.colors);
  try {
    const stream = guideAgent(model).stream(question, {
      callbacks: [showRun(terminal, { all }), trace.handler, ...callbacks],
      requestContext: new RequestContext().set(folderKey, opened),
      signal,
    });
    const { text } = await stream.result;
    return assistantMessage(text);
  } finally {
    await terminal.settled();
    if (all) terminal.printPart("Trace", trace.lines);
    await terminal.settled();
  }
}
