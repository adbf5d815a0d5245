import type { ToolOutput } from "../components/tool.js";
import { isStream } from "../is.js";
import type { Context } from "../run/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { outputReader } from "../tools/define/contract-stages.js";
import { toolOutputOf } from "../tools/define/tool-output.js";
import { InvokeBatch } from "../tools/node/call-batch.js";
import { startTool } from "../tools/node/run-tool.js";
import type { ToolRun } from "../tools/node/tool-run.js";
import type { ToolKit } from "../tools/node/tool-table.js";
import type { Turn } from "./turn.js";

/** The calls of one message, for an agent that streams: tells of pieces of results, and of results as they come. */
export class AgentBatch extends InvokeBatch {
  #turn: Turn | undefined;

  constructor(kit: ToolKit, message: AgenticMessage, place: Context) {
    super(kit, message, place);
  }

  /** From now on, what happens is told. */
  tell(turn: Turn): this {
    this.#turn = turn;
    return this;
  }

  protected override start(run: ToolRun): void {
    const turn = this.#turn;
    if (turn === undefined) super.start(run);
    else startTool(run, true, (started, output) => accept(turn, started, output));
  }

  protected override onSettled(run: ToolRun): void {
    super.onSettled(run);
    if (run.isPending || this.#turn === undefined) return;
    this.#turn.emit({ type: "tool_result", callId: run.callId, name: run.name, message: run.message() });
  }
}

function accept(turn: Turn, run: ToolRun, output: unknown): void {
  if (isStream(output)) {
    void drain(turn, run, output instanceof StreamReader ? output : outputReader(output, run));
    return;
  }
  if (run.state !== "running") return;
  try {
    run.take(toolOutputOf(output, run));
  } catch (thrown) {
    run.fail(thrown);
    return;
  }
  run.succeed();
}

async function drain(turn: Turn, run: ToolRun, reader: StreamReader<ToolOutput>): Promise<void> {
  run.reader = reader;
  try {
    for await (const piece of reader) {
      if (run.state !== "running") return;
      run.take(piece);
      const wait = turn.emit({ type: "tool_output_delta", callId: run.callId, delta: piece });
      if (wait !== undefined) await wait;
    }
    run.succeed();
  } catch (thrown) {
    run.fail(thrown);
  }
}
