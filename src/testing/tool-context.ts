import type { RunInfo } from "../callbacks/run-info.js";
import { InterruptError } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import { RequestContext } from "../components/request-context.js";
import { firstInvocation } from "../components/resume-info.js";
import type { ToolContext } from "../components/tool.js";

/**
 * Creates a tool context outside of any run, to call a tool directly in a test. Pass the fields that matter to the test.
 *
 * @example
 * const tool = createTool({
 *   id: "greet",
 *   description: "Greets.",
 *   execute: (_input, ctx) => `hello from ${ctx.toolCallId}`,
 * });
 * console.log(await tool.invoke("{}", toolContext({ toolCallId: "call_7" })));
 */
export function toolContext<Options = unknown>(fields: Partial<ToolContext<Options>> = {}): ToolContext<Options> {
  const signal = fields.signal ?? new AbortController().signal;
  const toolName = fields.toolName ?? "tool";
  const toolCallId = fields.toolCallId ?? "call_1";
  const base: ToolContext<Options> = {
    signal,
    abortSignal: signal,
    requestContext: new RequestContext(),
    state: undefined,
    address: `tool:${toolName}:${toolCallId}`,
    runInfo: runInfoOf(toolName, toolCallId),
    options: undefined as Options,
    attempt: 1,
    heartbeat: () => undefined,
    progress: () => undefined,
    processState: () =>
      Promise.reject(new Error("A call outside of a run has no state. Pass processState to toolContext.")),
    taskKey: `tool:${toolName}:${toolCallId}`,
    ask: (key: string, info: unknown) => Promise.reject(asked(`ask("${key}")`, `tool:${toolName}:${toolCallId}`, info)),
    interrupt: (info) => {
      throw asked("interrupt", `tool:${toolName}:${toolCallId}`, info);
    },
    once: async (_key, work) => work(),
    resume: firstInvocation,
    with: (more): NodeContext<unknown, Options> => toolContext<Options>({ ...fields, ...more }),
    toolCallId,
    toolName,
    messages: [],
    rawArguments: "",
    suspend: (payload) => Promise.reject(asked("suspend", `tool:${toolName}:${toolCallId}`, payload)),
    resumeData: undefined,
  };
  return { ...base, ...fields };
}

/** The interrupt of a tool that asks, as inside a run. To simulate an answer, pass `ask` or `resume`. */
function asked(what: string, address: string, info: unknown): InterruptError {
  return new InterruptError(
    `${what} was called outside of a run. Pass ask or resume to toolContext to simulate an answer.`,
    [{ id: "interrupt_1", address, info }],
  );
}

function runInfoOf(name: string, toolCallId: string): RunInfo {
  const address = `tool:${name}:${toolCallId}`;
  return { runId: "run_1", parentRunId: undefined, name, type: "", component: "tool", address, toolCallId };
}
