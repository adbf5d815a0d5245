import type { ToolOutput } from "../../components/tool.js";
import type { Context } from "../../run/context.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { outputReader } from "../define/contract-stages.js";
import { isToolStream } from "../define/producer.js";
import { toolOutputOf } from "../define/tool-output.js";
import { CallBatch } from "./call-batch.js";
import { startTool } from "./run-tool.js";
import type { ToolKit } from "./tool-kit.js";
import type { ToolRun } from "./tool-run.js";

/** Runs the calls of a message for their whole results. */
export class InvokeBatch extends CallBatch {
  private resolve: ((results: AgenticMessage[]) => void) | undefined = undefined;
  private reject: ((error: unknown) => void) | undefined = undefined;

  /** Spelled out: the constructor that a compiler makes takes its arguments apart. */
  constructor(kit: ToolKit, message: AgenticMessage, nodeContext: Context) {
    super(kit, message, nodeContext);
  }

  /** At once, when no tool makes it wait. */
  run(): AgenticMessage[] | Promise<AgenticMessage[]> {
    const preparing = this.prepareCalls();
    if (preparing === undefined) this.startCalls();
    if (this.over) return this.outcome();
    const results = new Promise<AgenticMessage[]>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.open();
    if (preparing !== undefined) this.startAfter(preparing);
    return results;
  }

  private startAfter(preparing: Promise<unknown>): void {
    preparing.then(() => {
      if (!this.over) this.startCalls();
    });
  }

  protected override start(run: ToolRun): void {
    startTool(run, false, accept);
  }

  protected override onSettled(_run: ToolRun): void {}

  protected override onFinished(): void {
    if (this.resolve === undefined) return;
    const rejection = this.failed || this.hasPending ? this.rejection() : undefined;
    if (rejection === undefined) this.resolve(this.results());
    else this.reject?.(rejection);
  }

  protected override onStopped(reason: unknown): void {
    this.reject?.(reason);
  }

  private outcome(): AgenticMessage[] {
    const { openedScope } = this.nodeContext;
    if (openedScope?.aborted === true) {
      this.remember(openedScope.reason);
      throw openedScope.reason;
    }
    const rejection = this.failed || this.hasPending ? this.rejection() : undefined;
    if (rejection !== undefined) throw rejection;
    return this.results();
  }
}

function accept(run: ToolRun, output: unknown): void {
  if (isToolStream(output)) {
    void drain(run, output instanceof StreamReader ? output : outputReader(output, run));
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

async function drain(run: ToolRun, reader: StreamReader<ToolOutput>): Promise<void> {
  run.reader = reader;
  try {
    for await (const piece of reader) {
      if (run.state !== "running") return;
      run.take(piece);
    }
    run.succeed();
  } catch (thrown) {
    run.fail(thrown);
  }
}
