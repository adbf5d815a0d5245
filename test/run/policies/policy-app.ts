import {
  type CompiledGraph,
  type CompileOptions,
  Graph,
  type NodeContext,
  type NodeOptions,
  type RunOptions,
  Runtime,
} from "kumiko";
import { type ManualClock, manualClock } from "kumiko/testing";

export type Work = (text: string, ctx: NodeContext) => unknown;

/** A graph of one node, on a clock that the test moves. */
export function policyApp(
  work: Work,
  options: NodeOptions<string, string, undefined>,
  compile: CompileOptions<"work"> = {},
): { app: CompiledGraph<string, string>; clock: ManualClock } {
  const clock = manualClock();
  const app = new Graph<string, string>()
    .addNode("work", work as (text: string) => string, options)
    .addEdge("start", "work")
    .addEdge("work", "end")
    .compile({ runtime: new Runtime({ clock, random: () => 1 }), ...compile });
  return { app: app as CompiledGraph<string, string>, clock };
}

/** Lets what can go on do so. */
export async function turns(count = 3): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** Jumps to each timer that is set, until the work is done. */
export async function inTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const watched = work.finally(() => {
    isDone = true;
  });
  watched.catch(() => undefined);
  await turns();
  while (!isDone) {
    const next = clock.nextTimer;
    if (next !== undefined) clock.advance(next - clock.now());
    await turns();
  }
  return watched;
}

/** What `stream` gives, joined. */
export async function streamed<I, O>(app: CompiledGraph<I, O>, input: I, options?: RunOptions): Promise<O> {
  return app.stream(input, options).concat();
}

/** Fails as often as told, then gives its input back. */
export function failing(
  times: number,
  error: () => unknown = () => new Error("not yet"),
): { work: Work; seen: number[] } {
  const seen: number[] = [];
  const work: Work = (text, ctx) => {
    seen.push(ctx.attempt);
    if (seen.length <= times) throw error();
    return text;
  };
  return { work, seen };
}
