import { type PlanEdge, START_INDEX } from "../../compose/plan/plan.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { Mode } from "../body.js";
import type { Readiness } from "../readiness.js";
import { readToEnd } from "../streams/output-streams.js";
import type { Task } from "../task.js";

/** Deliveries to nodes that wait for the end of a stream without reading it. */
interface Waiting {
  readonly ended: Promise<void>;
  readonly deliver: () => void;
}

/**
 * Delivers the output of a workflow's node: at once to nodes that read it or were chosen by a branch; to nodes that run after it,
 * at the end of its stream, whether they read it or not. A stream that no node reads is read here.
 */
export function deliverWired(
  readiness: Readiness,
  mode: Mode,
  task: Task,
  targets: readonly number[],
  edges: ReadonlyMap<number, PlanEdge>,
): Waiting | undefined {
  const { output, index } = task;
  if (mode !== "transform" || !(output instanceof StreamReader)) {
    deliverValue(readiness, task, targets, edges);
    return undefined;
  }
  // a target that is listed twice gets data along an edge and was also chosen by a branch
  const ways = targets.map((target, n) => ({
    target,
    edge: targets[n - 1] === target ? undefined : edges.get(target),
  }));
  const readers = ways.filter(({ edge }) => edge?.data === true).length;
  const waits = (edge: PlanEdge | undefined): boolean => edge?.data === false || edge?.waits === true;
  const isWaitedFor = index !== START_INDEX && (readers === 0 || ways.some(({ edge }) => waits(edge)));
  const count = readers + (isWaitedFor ? 1 : 0);
  if (count === 0) void output.cancel();
  const copies = count < 2 ? [output] : output.copy(count);
  const later: (() => void)[] = [];
  for (const { target, edge } of ways) {
    const value = edge?.data === true ? copies.pop() : undefined;
    const deliver = (): void => readiness.deliver(target, { source: task, value }, edge?.control !== false);
    if (waits(edge) && isWaitedFor) later.push(deliver);
    else deliver();
  }
  const [rest] = copies;
  if (!isWaitedFor || rest === undefined) return undefined;
  return {
    ended: readToEnd(rest),
    deliver: () => {
      for (const deliver of later) deliver();
    },
  };
}

function deliverValue(
  readiness: Readiness,
  task: Task,
  targets: readonly number[],
  edges: ReadonlyMap<number, PlanEdge>,
): void {
  for (let n = 0; n < targets.length; n++) {
    const target = targets[n] as number;
    const isChosen = n > 0 && targets[n - 1] === target;
    readiness.deliver(target, task, isChosen || edges.get(target)?.control !== false);
  }
}
