import type { CallSnapshot, InvocationSnapshot, RunSnapshot } from "../../checkpoint/document/snapshot.js";
import { isFields } from "../../is.js";
import { addressName, addressPart } from "../address.js";

/** The addresses of the results that a save has, and the one before it does not have; `undefined` if there are none. */
export function newParts(root: RunSnapshot | undefined, before: RunSnapshot | undefined): string[] | undefined {
  const known = partsOf(before);
  const added = [...partsOf(root)].filter(([place]) => !known.has(place)).map(([, address]) => address);
  return added.length === 0 ? undefined : added;
}

/** The results of tool calls, items and `once` in nodes that have not ended: addresses, by where they are saved. */
function partsOf(root: RunSnapshot | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (root !== undefined) addOfRun(root, "", found);
  return found;
}

/** A node may be entered again under the same address, so its step belongs to the place. */
function addOfRun(run: RunSnapshot, around: string, found: Map<string, string>): void {
  for (const { node, kind, step, visit, route } of run.tasks) {
    const place = `${around}/${node} ${step}`;
    if (visit !== undefined) addOfInvocation(visit, { run, kind, place, found });
    if (route !== undefined) addOfInvocation(route, { run, kind, place: `${place} route`, found });
  }
}

interface Around {
  readonly run: RunSnapshot;
  /** The component of the node; unknown for one that runs for each item. */
  readonly kind: string | undefined;
  readonly place: string;
  readonly found: Map<string, string>;
}

function addOfInvocation({ address, once, inner, calls }: InvocationSnapshot, around: Around): void {
  const { place, found } = around;
  for (const [key] of once) found.set(`${place} once ${key}`, `${address};once:${addressPart(key)}`);
  for (const call of calls) {
    const own = `${place} call ${call.index}`;
    if (call.result !== undefined) found.set(own, `${address};${partOfCall(call, around)}`);
    else if (call.visit !== undefined) addOfInvocation(call.visit, { ...around, kind: undefined, place: own });
  }
  for (const { key, run } of inner) if (run !== undefined) addOfRun(run, `${place} ${key}`, found);
}

/** Calls of a tools node, and items of a list, are kept alike. */
function partOfCall({ index, callId, result }: CallSnapshot, { kind, run }: Around): string {
  const isKeptCall = isFields(result?.value) && ("output" in result.value || "pieces" in result.value);
  const isCall = kind === undefined ? isKeptCall && callId !== "" : kind === "tools_node";
  if (!isCall) return `item:${index}`;
  const values = [...run.tasks.flatMap(({ output, chunks, visit }) => [output?.value, chunks, visit?.prepared?.value])];
  const name = nameOfCall([...values, run.state?.value], callId, 5) ?? "";
  return `tool:${addressName(name)}:${addressPart(callId)}`;
}

/** The name is in the message with the call, which is still there: an output, or in the log of an agent. */
function nameOfCall(value: unknown, callId: string, depth: number): string | undefined {
  if (typeof value !== "object" || value === null || depth === 0) return undefined;
  if (isFields(value) && value.type === "function_tool_call" && value.callId === callId) return String(value.name);
  for (const part of Object.values(value)) {
    const name = nameOfCall(part, callId, depth - 1);
    if (name !== undefined) return name;
  }
  return undefined;
}
