import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import { isFields } from "../is.js";

/** An interrupt whose `info` is known. */
export type InterruptOf<Info> = Interrupt & { readonly info: Info };

/** A tool call needs approval. Answer: `{ approved, arguments?, reason? }`. */
export interface ToolApprovalInfo {
  readonly kind: "tool_approval";
  /** The name of the tool that the model called. */
  readonly toolName: string;
  /** The id of the call. */
  readonly toolCallId: string;
  /** The arguments of the call, parsed. */
  readonly input: unknown;
}

/** A tool runs elsewhere. The answer is its result. */
export interface ClientToolInfo {
  readonly kind: "client_tool";
  /** The name of the tool that the model called. */
  readonly toolName: string;
  /** The id of the call. */
  readonly toolCallId: string;
  /** The arguments of the call, parsed. */
  readonly input: unknown;
}

/** A tool was suspended. The answer is what it is resumed with. */
export interface ToolSuspendedInfo {
  readonly kind: "tool_suspended";
  /** The name of the suspended tool. */
  readonly toolName: string;
  /** The id of the call. */
  readonly toolCallId: string;
  /** What the tool passed to `ctx.suspend`. */
  readonly payload: unknown;
}

/** The provider asks whether it may call a tool of an MCP server. Answer: `{ approved, reason? }`. */
export interface McpApprovalInfo {
  readonly kind: "mcp_approval";
  /** The id of the provider's request. */
  readonly id: string;
  /** The name of the tool on the server. */
  readonly toolName: string;
  /** The name of the server in the provider's settings. */
  readonly serverLabel: string;
  /** The id of the call, by which clients know it. */
  readonly toolCallId: string;
  /** The arguments of the call, as JSON text. */
  readonly arguments: string;
  /** The same, parsed. */
  readonly input: unknown;
}

/**
 * Whether an interrupt asks for approval of a tool call; narrows `info`.
 *
 * @example
 * const { interrupts } = await agent.generate("Pay it", { threadId: "u-1" });
 * for (const interrupt of interrupts) if (isToolApproval(interrupt)) console.log(interrupt.info.toolName);
 */
export function isToolApproval(interrupt: Interrupt): interrupt is InterruptOf<ToolApprovalInfo> {
  return isKind(interrupt, "tool_approval");
}

/**
 * Whether a tool is to be run elsewhere; narrows `info`.
 *
 * @example
 * const held = await agent.generate("Where am I?", { threadId: "u-1" });
 * const here = { latitude: 35, longitude: 135 };
 * for (const interrupt of held.interrupts) {
 *   if (isClientTool(interrupt)) await agent.resume(held, { [interrupt.id]: here });
 * }
 */
export function isClientTool(interrupt: Interrupt): interrupt is InterruptOf<ClientToolInfo> {
  return isKind(interrupt, "client_tool");
}

/**
 * Whether a tool was suspended; narrows `info`.
 *
 * @example
 * const held = await agent.generate("Book it", { threadId: "u-1" });
 * for (const interrupt of held.interrupts) {
 *   if (isToolSuspended(interrupt)) console.log(interrupt.info.toolName, interrupt.info.payload);
 * }
 */
export function isToolSuspended(interrupt: Interrupt): interrupt is InterruptOf<ToolSuspendedInfo> {
  return isKind(interrupt, "tool_suspended");
}

/**
 * Whether a provider asks for a tool of an MCP server; narrows `info`.
 *
 * @example
 * const held = await agent.generate("Clean up my inbox", { threadId: "u-1" });
 * const answers: Record<string, unknown> = {};
 * for (const interrupt of held.interrupts) {
 *   if (isMcpApproval(interrupt)) answers[interrupt.id] = { approved: interrupt.info.serverLabel === "mail" };
 * }
 * await agent.resume(held, answers);
 */
export function isMcpApproval(interrupt: Interrupt): interrupt is InterruptOf<McpApprovalInfo> {
  return isKind(interrupt, "mcp_approval");
}

function isKind({ info }: Interrupt, kind: string): boolean {
  return isFields(info) && info.kind === kind;
}

/** Parses the arguments of a call; returns the text itself if it is not valid JSON. */
export function toolInputOf(args: string): unknown {
  if (args.trim() === "") return {};
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
