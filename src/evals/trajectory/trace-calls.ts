import type { TraceNode } from "../../callbacks/trace.js";
import { isFields } from "../../is.js";
import { areMessages, isAgenticMessage } from "../../schema/message/agentic-message.js";
import type { Call } from "./call.js";
import { callsInMessages, inputOf } from "./message-calls.js";

/** One call while a trace is read: a run that waited goes on in another tree. */
interface OpenCall {
  readonly id: string;
  call: Call;
  readonly inside: CallList;
}

/** The calls of a trace, those of inner agents under the tools that ran them. */
export function callsInTrace(runs: readonly TraceNode[]): Call[] {
  const list = new CallList();
  for (const run of runs) list.read(run, undefined);
  return list.calls();
}

class CallList {
  readonly #open: OpenCall[] = [];
  /** The calls of tools nodes that wait, by where they are. */
  readonly #waiting = new Map<string, readonly OpenCall[]>();

  calls(): Call[] {
    return this.#open.map(({ call, inside }) => {
      const calls = inside.calls();
      return calls.length === 0 ? call : { ...call, calls };
    });
  }

  read(node: TraceNode, agent: string | undefined): void {
    const own = node.component === "agent" && node.name !== "" ? node.name : agent;
    if (node.component === "tools_node" && isAgenticMessage(node.input)) this.#readNode(node, own);
    else if (node.component === "tool") this.#readTool(node, own);
    else for (const child of node.children) this.read(child, own);
  }

  /** All calls of a message, in call order, whichever came first. */
  #readNode(node: TraceNode, agent: string | undefined): void {
    const { input, output } = node;
    if (!isAgenticMessage(input)) return;
    const results = areMessages(output) ? output : [];
    const found = callsInMessages([input, ...results]);
    const key = `${node.address} ${found.map(({ id }) => id).join(" ")}`;
    const waited = this.#waiting.get(key);
    this.#waiting.delete(key);
    const tools = node.children.filter(({ component }) => component === "tool");
    const entries = found.map(({ id, call }, index): OpenCall => {
      const tool = tools.find((one) => callIdOf(one) === id);
      const known = results.length > 0 || tool === undefined ? call : { ...call, ...endOf(tool) };
      const named = agent === undefined ? known : { ...known, agent };
      const open = waited?.[index] ?? { id, call: named, inside: new CallList() };
      open.call = named;
      for (const child of tool?.children ?? []) open.inside.read(child, undefined);
      return open;
    });
    if (node.interrupt !== undefined) this.#waiting.set(key, entries);
    if (waited === undefined) this.#open.push(...entries);
  }

  /** A tool that was called by something else than a tools node. */
  #readTool(node: TraceNode, agent: string | undefined): void {
    const { arguments: text } = isFields(node.input) ? node.input : {};
    const call: Call = { tool: node.name, input: inputOf(text), ...(agent !== undefined && { agent }), ...endOf(node) };
    const inside = new CallList();
    for (const child of node.children) inside.read(child, undefined);
    this.#open.push({ id: callIdOf(node) ?? "", call, inside });
  }
}

function callIdOf({ toolCallId, address, name }: TraceNode): string | undefined {
  if (toolCallId !== undefined) return toolCallId;
  const start = address.lastIndexOf(`tool:${name}:`);
  return start < 0 ? undefined : address.slice(start + `tool:${name}:`.length);
}

function endOf({ output, error }: TraceNode): Pick<Call, "output" | "error"> {
  if (error !== undefined) return { error: isFields(error) ? String(error.message) : String(error) };
  if (!isFields(output) || output.result === undefined) return {};
  return { output: typeof output.result === "string" ? valueIn(output.result) : output.result };
}

/** A result that is JSON of an object or a list; anything else stays text. */
function valueIn(text: string): unknown {
  return /^\s*[[{]/.test(text) ? inputOf(text) : text;
}
