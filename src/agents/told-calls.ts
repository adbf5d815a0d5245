import type { ToolOutput } from "../components/tool.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { BatchFollower } from "../tools/node/call-batch.js";
import { startTool } from "../tools/node/run-tool.js";
import type { ToolRun } from "../tools/node/tool-run.js";
import type { OngoingTurn } from "./turn.js";

/** Follows the calls of one message for an agent that streams: emits pieces of results, and results as they arrive. */
export class ToldCalls implements BatchFollower {
  readonly #turn: OngoingTurn;

  constructor(turn: OngoingTurn) {
    this.#turn = turn;
  }

  start(run: ToolRun): void {
    startTool(run, true, (started, reader) => this.#read(started, reader));
  }

  onSettled(run: ToolRun): void {
    run.close();
    if (run.isPending) return;
    this.#turn.emit({ type: "tool_result", callId: run.callId, name: run.name, message: run.message() });
  }

  async #read(run: ToolRun, reader: StreamReader<ToolOutput>): Promise<void> {
    try {
      for await (const piece of reader) {
        if (run.phase !== "running") return;
        run.take(piece);
        const wait = this.#turn.emit({ type: "tool_output_delta", callId: run.callId, delta: piece });
        if (wait !== undefined) await wait;
      }
      run.succeed();
    } catch (thrown) {
      run.fail(thrown);
    }
  }
}
