import { writeSync } from "node:fs";
import {
  assistantMessage,
  Chain,
  type CheckpointStore,
  createTool,
  END,
  each,
  functionToolCall,
  Graph,
  KumikoError,
  START,
  textOf,
  toolResultsOf,
} from "kumiko";
import { createAgent } from "kumiko/agents";

/** What each task notes when it begins. */
export interface Effect {
  /** Which process it is. */
  readonly life: number;
  readonly run: string;
  /** Tasks of a stage begin when those of the stages before are saved. */
  readonly stage: number;
  /** The same for each repetition. */
  readonly task: string;
  readonly at: number;
}

interface Cargo {
  readonly run: string;
  readonly done: string;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Apps of every kind; each task notes in a file that it has begun, takes a moment, and adds to what was done. */
export function makeApps(store: CheckpointStore, { log, life }: { readonly log: number; readonly life: number }) {
  const work = async (run: string, stage: number, task: string): Promise<void> => {
    const effect: Effect = { life, run, stage, task, at: Date.now() };
    writeSync(log, `${JSON.stringify(effect)}\n`);
    await wait(5 + Math.random() * 75);
  };
  const step =
    (stage: number, name: string) =>
    async ({ run, done }: Cargo): Promise<Cargo> => {
      await work(run, stage, name);
      return { run, done: `${done}${name}` };
    };
  const begin = (run: string): Cargo => ({ run, done: "" });
  const end = ({ done }: Cargo): string => done;
  const line = new Chain<string>()
    .append(begin)
    .append(step(0, "a"))
    .append(step(1, "b"))
    .append(step(2, "c"))
    .append(end)
    .compile({ name: "line", store });
  const loop = new Graph<Cargo, Cargo>()
    .addNode("turn", (cargo: Cargo) => step(cargo.done.length, `${cargo.done.length}`)(cargo))
    .addEdge(START, "turn")
    .addBranch("turn", ["turn", END], ({ done }) => (done.length < 6 ? "turn" : END));
  const loops = new Chain<string>()
    .append(begin)
    .append(loop.compile({ name: "loop", maxSteps: 20 }))
    .append(end)
    .compile({ name: "loops", store });
  const dag = new Graph<string, string>()
    .addNode("left", (run: string) => step(0, "l")(begin(run)), { outputKey: "left" })
    .addNode("right", (run: string) => step(0, "r")(begin(run)), { outputKey: "right" })
    .addNode("join", async ({ left, right }: { readonly left: Cargo; readonly right: Cargo }) =>
      end(await step(1, "j")({ run: left.run, done: `${left.done}${right.done}` })),
    )
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge("left", "join")
    .addEdge("right", "join")
    .addEdge("join", END)
    .compile({ name: "dag", store, triggerMode: "allPredecessor" });
  const fan = new Chain<string>()
    .append((run) => ["1", "2", "3", "4"].map((task) => ({ run, task })))
    .append(
      each(
        async ({ run, task }: { readonly run: string; readonly task: string }) => {
          await work(run, 0, task);
          return { run, task };
        },
        { concurrency: 2 },
      ),
    )
    .append(async (items, ctx) => {
      const total = await ctx.once("total", async () => {
        await work(items[0]?.run ?? "", 1, "total");
        return items.length;
      });
      return `${total}:${items.map(({ task }) => task).join("")}`;
    })
    .compile({ name: "fan", store });
  const asks = new Chain<string>()
    .append(begin)
    .append(step(0, "b"))
    .append(async ({ run, done }, ctx) => ({ run, done: `${done}${await ctx.ask<string>("go", run)}` }), { key: "ask" })
    .append(step(1, "a"))
    .append(end)
    .compile({ name: "asks", store });
  const naps = new Chain<string>()
    .append(begin)
    .append(step(0, "b"))
    .append(
      async (cargo, ctx) => {
        const answer = ctx.ask<Cargo>("nap", "nobody answers", undefined, { expiresMs: 500 });
        return answer.catch((error: unknown) => {
          if (!KumikoError.is(error) || error.code !== "QUESTION_EXPIRED") throw error;
          return cargo;
        });
      },
      { key: "nap" },
    )
    .append(step(1, "a"))
    .append(end)
    .compile({ name: "naps", store });
  return { line, loops, dag, fan, asks, naps, clerk: makeClerk(store, work) };
}

/** An agent that looks twice, and sends something once somebody has approved it. */
function makeClerk(store: CheckpointStore, work: (run: string, stage: number, task: string) => Promise<void>) {
  const inputSchema = { type: "object", properties: { run: { type: "string" } }, required: ["run"] } as const;
  const look = createTool({
    id: "look",
    description: "Looks.",
    inputSchema,
    execute: ({ run }: { readonly run: string }, ctx) =>
      ctx.once("look", async () => {
        await work(run, 1, `look ${ctx.toolCallId}`);
        return "seen";
      }),
  });
  const send = createTool({
    id: "send",
    description: "Sends.",
    inputSchema,
    requireApproval: true,
    execute: async ({ run }: { readonly run: string }) => {
      await work(run, 3, "send");
      return "sent";
    },
  });
  return createAgent({
    name: "clerk",
    store,
    tools: [look, send],
    model: {
      component: "model",
      type: "deterministic",
      generate: async (messages) => {
        const asked = messages.findLastIndex((one) => one.role === "user" && toolResultsOf(one).length === 0);
        const prompt = messages[asked];
        const run = prompt === undefined ? "" : textOf(prompt);
        const results = messages.slice(asked).flatMap((message) => toolResultsOf(message)).length;
        const call = (name: string, callId: string) =>
          functionToolCall({ callId: `${run} ${callId}`, name, arguments: JSON.stringify({ run }) });
        await work(run, 2 * (results === 0 ? 0 : results - 1), `model ${results}`);
        if (results === 0) return assistantMessage([call("look", "c1"), call("look", "c2")]);
        return assistantMessage(results === 2 ? [call("send", "c3")] : `${run} is sent.`);
      },
    },
  });
}

/** What the runs of each app end with. */
export const outputs = {
  line: "abc",
  loops: "012345",
  dag: "lrj",
  fan: "4:1234",
  asks: "byesa",
  naps: "ba",
} as const;
