import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  type CheckpointStore,
  type CompileOptions,
  createTool,
  END,
  functionToolCall,
  Graph,
  type NodeContext,
  START,
  textOf,
  toolResultsOf,
} from "kumiko";
import type { Process } from "./stoppable.js";
import type { Resumable } from "./until-done.js";
import type { WorkLog } from "./work-log.js";

/** A graph whose nodes work, to be compiled again for each process. */
export interface Example {
  readonly name: string;
  readonly compile: (log: WorkLog, process: Process, options: CompileOptions<never>) => Resumable<string, string>;
  /** What comes of the input `"in"`, when each question is answered with its info. */
  readonly result: string;
  readonly tasks: readonly string[];
}

type Work = (name: string, after?: readonly string[]) => (text: string, ctx: NodeContext) => Promise<string>;

const works =
  (log: WorkLog, process: Process): Work =>
  (name, after) =>
  async (text, ctx) => {
    await log.work(process, ctx, name, after);
    return text + name;
  };

const chain: Example = {
  name: "a chain",
  compile: (log, process, options) => {
    const work = works(log, process);
    return new Chain<string>()
      .append(work("a"))
      .append(work("b", ["a"]))
      .append(work("c", ["a", "b"]))
      .compile(options);
  },
  result: "inabc",
  tasks: ["a", "b", "c"],
};

const diamond = (triggerMode: "anyPredecessor" | "allPredecessor"): Example => ({
  name: `a diamond with three arms, ${triggerMode}`,
  compile: (log, process, options) => {
    const work = works(log, process);
    return new Graph<string, string>()
      .addNode("top", work("t"))
      .addNode("a", work("a", ["t"]), { outputKey: "a" })
      .addNode("b", work("b", ["t"]), { outputKey: "b" })
      .addNode("c", work("c", ["t"]), { outputKey: "c" })
      .addNode("join", async ({ a, b, c }: { a: string; b: string; c: string }, ctx) => {
        await log.work(process, ctx, "j", ["a", "b", "c"]);
        return `${a}|${b}|${c}`;
      })
      .addEdge(START, "top")
      .addEdge("top", "a")
      .addEdge("top", "b")
      .addEdge("top", "c")
      .addEdge("a", "join")
      .addEdge("b", "join")
      .addEdge("c", "join")
      .addEdge("join", END)
      .compile({ ...options, triggerMode });
  },
  result: "inta|intb|intc",
  tasks: ["a", "b", "c", "j", "t"],
});

const arms: Example = {
  name: "arms of different length that do not wait for each other (allPredecessor)",
  compile: (log, process, options) => {
    const work = works(log, process);
    return new Graph<string, string>()
      .addNode("a1", work("1"))
      .addNode("a2", work("2", ["1"]))
      .addNode("a3", work("3", ["1", "2"]), { outputKey: "a" })
      .addNode("b", work("b"), { outputKey: "b" })
      .addNode("join", async ({ a, b }: { a: string; b: string }, ctx) => {
        await log.work(process, ctx, "j", ["1", "2", "3", "b"]);
        return `${a}|${b}`;
      })
      .addEdge(START, "a1")
      .addEdge("a1", "a2")
      .addEdge("a2", "a3")
      .addEdge(START, "b")
      .addEdge("a3", "join")
      .addEdge("b", "join")
      .addEdge("join", END)
      .compile({ ...options, triggerMode: "allPredecessor" });
  },
  result: "in123|inb",
  tasks: ["1", "2", "3", "b", "j"],
};

const loop: Example = {
  name: "a loop with a state",
  compile: (log, process, options) =>
    new Graph<string, string>()
      .withState(() => ({ rounds: new Set<string>() }))
      .addNode("round", async (text: string, ctx) => {
        const round = `r${text.length - 2}`;
        await log.work(
          process,
          ctx,
          round,
          [...ctx.state.rounds].filter((earlier) => earlier !== round),
        );
        ctx.state.rounds.add(round);
        return `${text}${text.length - 2}`;
      })
      .addEdge(START, "round")
      .addBranch("round", ["round", END], (text) => (text.length < 6 ? "round" : END))
      .compile(options),
  result: "in0123",
  tasks: ["r0", "r1", "r2", "r3"],
};

const nested: Example = {
  name: "graphs in graphs, each with a state",
  compile: (log, process, options) => {
    const work = works(log, process);
    const inner = new Chain<string>()
      .withState(() => ({ seen: new Set<string>() }))
      .append(async (text, ctx) => {
        await log.work(process, ctx, "i1", ["a"]);
        ctx.state.seen.add("i1");
        return `${text}i`;
      })
      .append(async (text, ctx) => {
        await log.work(process, ctx, "i2", ["i1"]);
        return `${text}[${[...ctx.state.seen].join()}]`;
      });
    const middle = new Chain<string>()
      .append(work("m1", ["a"]))
      .appendParallel({ left: inner, right: work("m2", ["m1"]) });
    return new Chain<string>()
      .withState(() => ({ seen: new Set<string>() }))
      .append(async (text, ctx) => {
        await log.work(process, ctx, "a");
        ctx.state.seen.add("a");
        return text;
      })
      .append(middle)
      .append(async ({ left, right }, ctx) => {
        await log.work(process, ctx, "z", ["i2", "m2"]);
        return `${left} ${right} [${[...ctx.state.seen].join()}]`;
      })
      .compile(options);
  },
  result: "inm1i[i1] inm1m2 [a]",
  tasks: ["a", "i1", "i2", "m1", "m2", "z"],
};

const children: Example = {
  name: "runs inside of a node",
  compile: (log, process, options) => {
    const child = (name: string, after: readonly string[] = []) => {
      const work = works(log, process);
      return new Chain<string>()
        .append(work(`${name}1`, after))
        .append(work(`${name}2`, [`${name}1`]))
        .compile({ name });
    };
    return new Chain<string>()
      .append(async (text, ctx) => {
        const first = await child("a").invoke(text, { parent: ctx });
        const both = await Promise.all([
          child("b", ["a2"]).invoke(text, { parent: ctx }),
          child("c", ["a2"]).invoke(text, { parent: ctx, key: "another" }),
        ]);
        return [first, ...both].join("|");
      })
      .append(works(log, process)("z", ["a2", "b2", "c2"]))
      .compile(options);
  },
  result: "ina1a2|inb1b2|inc1c2z",
  tasks: ["a1", "a2", "b1", "b2", "c1", "c2", "z"],
};

const once: Example = {
  name: "pieces of work that are remembered by once",
  compile: (log, process, options) =>
    new Chain<string>()
      .append(async (text, ctx) => {
        const piece = (name: string, after: readonly string[]) =>
          ctx.once(name, async () => {
            await log.work(process, { taskKey: `${ctx.taskKey}/${name}` }, name, after);
            return { made: name };
          });
        const one = await piece("one", []);
        const [two, three] = await Promise.all([piece("two", ["one"]), piece("three", ["one"])]);
        const four = await piece("four", ["one", "two", "three"]);
        return text + [one, two, three, four].map(({ made }) => made).join();
      })
      .compile(options),
  result: "inone,two,three,four",
  tasks: ["four", "one", "three", "two"],
};

const toolsOf = (executeSequentially: boolean): Example => ({
  name: executeSequentially ? "tools one after the other" : "tools side by side",
  compile: (log, process, options) => {
    const names = ["one", "two", "three"];
    const tools = names.map((id, index) =>
      createTool({
        id,
        description: id,
        execute: async (_, ctx) => {
          await log.work(process, ctx, id, executeSequentially ? names.slice(0, index) : []);
          return id.toUpperCase();
        },
      }),
    );
    const message = assistantMessage(names.map((name) => functionToolCall({ callId: name, name, arguments: "{}" })));
    return new Chain<string>()
      .append(() => message)
      .appendToolsNode(new AgenticToolsNode({ tools, executeSequentially }))
      .append(async (results, ctx) => {
        await log.work(process, ctx, "z", names);
        return results
          .flatMap(toolResultsOf)
          .map(({ result }) => result)
          .join();
      })
      .compile(options);
  },
  result: "ONE,TWO,THREE",
  tasks: ["one", "three", "two", "z"],
});

const questions: Example = {
  name: "nodes that ask, side by side and twice",
  compile: (log, process, options) =>
    new Graph<string, string>()
      .addNode(
        "a",
        async (text: string, ctx) => {
          const one = await ctx.ask("one", "A");
          const two = await ctx.ask("two", "B");
          await log.work(process, ctx, "a");
          return `${text}${String(one)}${String(two)}`;
        },
        { outputKey: "a" },
      )
      .addNode(
        "b",
        async (text: string, ctx) => {
          const answers = await Promise.all([ctx.ask("one", "C"), ctx.ask("two", "D")]);
          await log.work(process, ctx, "b");
          return text + answers.join("");
        },
        { outputKey: "b" },
      )
      .addNode("c", works(log, process)("c"), { outputKey: "c" })
      .addNode("join", async ({ a, b, c }: { a: string; b: string; c: string }, ctx) => {
        const answer = await ctx.ask("one", "E");
        await log.work(process, ctx, "j", ["a", "b", "c"]);
        return `${a}|${b}|${c}|${String(answer)}`;
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "c")
      .addEdge("a", "join")
      .addEdge("b", "join")
      .addEdge("c", "join")
      .addEdge("join", END)
      .compile(options),
  result: "inAB|inCD|inc|E",
  tasks: ["a", "b", "c", "j"],
};

const deepQuestion: Example = {
  name: "a tool that runs a graph that asks, in a graph in a graph",
  compile: (log, process, options) => {
    const asks = new Chain<string>()
      .append(works(log, process)("p"))
      .append(async (text, ctx) => {
        const answer = await ctx.ask("go", "yes");
        await log.work(process, ctx, "q", ["p"]);
        return `${text}${String(answer)}`;
      })
      .compile({ name: "asks" });
    const tools = new AgenticToolsNode([
      createTool({ id: "deep", description: "Runs a graph.", execute: (_, ctx) => asks.invoke("t", { parent: ctx }) }),
      createTool({
        id: "flat",
        description: "Works.",
        execute: async (_, ctx) => {
          await log.work(process, ctx, "flat");
          return "flat";
        },
      }),
    ]);
    const message = assistantMessage(
      ["deep", "flat"].map((name) => functionToolCall({ callId: name, name, arguments: "{}" })),
    );
    const inner = new Chain<string>().append(() => message).appendToolsNode(tools);
    return new Chain<string>()
      .append(works(log, process)("a"))
      .append(inner)
      .append(async (results, ctx) => {
        await log.work(process, ctx, "z", ["q", "flat"]);
        return results
          .flatMap(toolResultsOf)
          .map(({ result }) => result)
          .join();
      })
      .compile(options);
  },
  result: "tpyes,flat",
  tasks: ["a", "flat", "p", "q", "z"],
};

const streams: Example = {
  name: "streaming nodes",
  compile: (log, process, options) =>
    new Chain<string>()
      .append(async function* (text, ctx) {
        yield text;
        await log.work(process, ctx, "s");
        yield "s";
      })
      .append(async (text, ctx) => {
        await log.work(process, ctx, "w", ["s"]);
        return assistantMessage(`${text}w`);
      })
      .append(async (message, ctx) => {
        await log.work(process, ctx, "z", ["w"]);
        return textOf(message);
      })
      .compile(options),
  result: "insw",
  tasks: ["s", "w", "z"],
};

export const examples: readonly Example[] = [
  chain,
  diamond("anyPredecessor"),
  diamond("allPredecessor"),
  arms,
  loop,
  nested,
  children,
  once,
  toolsOf(false),
  toolsOf(true),
  questions,
  deepQuestion,
  streams,
];

/** How a store and a durability come to an example. */
export const compileOptions = (store: CheckpointStore, durability: "exit" | "step"): CompileOptions<never> => ({
  store,
  durability,
  name: "example",
});
