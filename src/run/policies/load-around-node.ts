import type { Body, Natives } from "../body.js";
import type { Task } from "../task.js";
import type { NodeAround } from "./around-node.js";

/** Wraps the functions of a node in its policies, whose code is loaded when the node first runs. */
export function withPolicies(natives: Natives, takesStream: boolean, around: NodeAround): Natives {
  let made: Natives | undefined;
  const mode = (name: "invoke" | "stream" | "transform"): Body => {
    const call = (input: unknown, task: Task): unknown => (made?.[name] as Body | undefined)?.(input, task);
    return (input, task) => (made === undefined ? load(task).then(() => call(input, task)) : call(input, task));
  };
  const load = async (task: Task): Promise<void> => {
    const { aroundNode } = await import("./around-node.js");
    made ??= aroundNode(natives, around);
    task.scope.throwIfAborted();
  };
  return { invoke: mode("invoke"), [takesStream ? "transform" : "stream"]: mode(takesStream ? "transform" : "stream") };
}
