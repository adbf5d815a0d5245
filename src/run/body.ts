import type { NodeBody, NodeFunction, NodeModes } from "../compose/plan/plan.js";
import { isStream } from "../is.js";
import type { Joining } from "../schema/concat/rule.js";
import { StreamReader } from "../schema/stream/reader.js";
import { whenReady } from "./async.js";
import { oneChunk, toReader } from "./streams/joining.js";
import type { Task } from "./task.js";

/** One mode of one node, as the executor calls it. */
export type Body = (input: unknown, task: Task) => unknown;

/** The four ways in which a run can use a node. */
export type Mode = "invoke" | "stream" | "collect" | "transform";

/** The functions that a node has itself, before modes are derived from them; callbacks follow the one that actually runs. */
export interface Natives extends NodeModes {
  /** A plain function, which may return a value or a stream. */
  readonly call?: NodeFunction | undefined;
  /** A function of one chunk. */
  readonly map?: NodeFunction | undefined;
}

export function nativesOf(body: Exclude<NodeBody, { kind: "graph" | "each" }>): Natives {
  switch (body.kind) {
    case "function":
      return { call: body.call };
    case "map":
      return { map: body.map };
    case "modes":
      return body;
    case "passthrough":
      return passthrough;
    default:
      return body satisfies never;
  }
}

const passthrough: Natives = { invoke: (input: unknown) => input, transform: (input: unknown) => input };

/** `invoke` of a node: its own function if it has one, else derived from another in a fixed order of preference. */
export function valueBody(natives: Natives, joining: Joining): Body {
  if (natives.map !== undefined) return natives.map as Body;
  const call = natives.call as Body | undefined;
  if (call !== undefined) {
    const finish = (output: unknown, task: Task): unknown =>
      isStream(output) ? toReader(output, joining, undefined, task).concat() : output;
    return (input, task) => whenReady(call(input, task), (output) => finish(output, task));
  }
  const native = nativeFor("invoke", natives);
  if (native === undefined) return withoutModes;
  const run = natives[native] as Body;
  if (native === "invoke") return run;
  const takesReader = readsStream(native);
  const givesReader = returnsStream(native);
  return (input, task) => {
    const upstream = input instanceof StreamReader ? input : undefined;
    return whenReady(run(takesReader ? oneChunk(input, undefined) : input, task), (output) =>
      givesReader ? toReader(output, joining, upstream, task).concat() : output,
    );
  };
}

/** The native mode from which a mode is derived. */
export function nativeFor(mode: Mode, natives: Natives): Mode | undefined {
  return preference[mode].find((native) => natives[native] !== undefined);
}

/** Whether a node takes its input as a stream in a run on streams. */
export function takesStreams(natives: Natives): boolean {
  return natives.map !== undefined || readsStream(nativeFor("transform", natives) ?? "invoke");
}

const preference: Record<Mode, readonly Mode[]> = {
  invoke: ["invoke", "stream", "collect", "transform"],
  stream: ["stream", "transform", "invoke", "collect"],
  collect: ["collect", "transform", "invoke", "stream"],
  transform: ["transform", "stream", "collect", "invoke"],
};

export const readsStream = (mode: Mode): boolean => mode === "collect" || mode === "transform";
export const returnsStream = (mode: Mode): boolean => mode === "stream" || mode === "transform";

export const withoutModes: Body = (_input, task) => {
  throw new TypeError(`Node "${task.owner.node(task.index).key}" has none of invoke, stream, collect and transform.`);
};
