import {
  type CheckpointStore,
  type CompiledGraph,
  END,
  each,
  from,
  memoryStore,
  START,
  type StreamReader,
  Workflow,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { looseGraph } from "../run/loose-graph.js";
import { watchedStore } from "./watched-store.js";

/*
 * The process dies at some write of a run that is saved step by step, and the functions of its branches would now choose
 * something else. What was chosen holds as soon as a target of it has begun: never do both arms have an effect.
 */

type App = CompiledGraph<string, unknown>;

interface World {
  /** Which arms have begun. */
  readonly effects: Set<string>;
  /** Chooses one of two arms, the other one each time. */
  readonly choose: () => "left" | "right";
}

function world(): World {
  let chosen = 0;
  return { effects: new Set(), choose: () => (chosen++ % 2 === 0 ? "left" : "right") };
}

const later = async <T>(value: T): Promise<T> => {
  await undefined;
  return value;
};

type Compile = (options: object) => App;

const arms = (graph: ReturnType<typeof looseGraph>, { effects }: World, to: string = END) => {
  for (const key of ["left", "right"]) {
    graph.addNode(key, async () => {
      effects.add(key);
      await later(undefined);
      return key;
    });
    graph.addEdge(key, to);
  }
  return graph;
};

const shapes: Readonly<Record<string, (made: World) => Compile>> = {
  "a branch": (made) => (options) =>
    arms(looseGraph().addNode("first", later).addEdge(START, "first"), made)
      .addBranch("first", ["left", "right"], made.choose)
      .compile(options) as App,
  "an asynchronous branch": (made) => (options) =>
    arms(looseGraph().addNode("first", later).addEdge(START, "first"), made)
      .addBranch("first", ["left", "right"], () => later(made.choose()))
      .compile(options) as App,
  "a branch after START": (made) => (options) =>
    arms(looseGraph(), made).addBranch(START, ["left", "right"], made.choose).compile(options) as App,
  "a branch that chooses several": (made) => (options) =>
    arms(looseGraph().addNode("first", later).addEdge(START, "first"), made)
      .addBranch("first", ["left", "right"], () => [made.choose()])
      .compile(options) as App,
  "a stream branch": (made) => (options) =>
    arms(looseGraph().addNode("first", later).addEdge(START, "first"), made)
      .addStreamBranch("first", ["left", "right"], async (stream: StreamReader<string>) => {
        for await (const _ of stream) break;
        return made.choose();
      })
      .compile(options) as App,
  "a switch": (made) => (options) => {
    const graph = looseGraph()
      .addNode("first", () => ({ to: made.choose() }))
      .addEdge(START, "first");
    (arms(graph, made) as never as { addSwitch: (...args: unknown[]) => void }).addSwitch("first", "to", {
      left: "left",
      right: "right",
    });
    return graph.compile(options) as App;
  },
  "an error branch": (made) => (options) => {
    const failing = async (): Promise<never> => {
      await undefined;
      throw Object.assign(new Error("no"), { status: 400 });
    };
    const graph = arms(looseGraph().addNode("first", failing).addEdge(START, "first").addEdge("first", END), made);
    (graph as never as { addErrorBranch: (...args: unknown[]) => void }).addErrorBranch(
      "first",
      ["left", "right"],
      made.choose,
    );
    return graph.compile(options) as App;
  },
  "a branch beside another node": (made) => (options) =>
    arms(
      looseGraph()
        .addNode("first", later)
        .addNode(
          "beside",
          async () => {
            for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
            return "beside";
          },
          { outputKey: "beside" },
        )
        .addNode("joined", () => "joined", { outputKey: "joined" })
        .addEdge(START, "first")
        .addEdge(START, "beside")
        .addEdge("joined", END),
      made,
      "joined",
    )
      .addBranch("first", ["left", "right"], made.choose)
      .compile(options) as App,
  "a branch in an inner graph": (made) => (options) =>
    looseGraph()
      .addNode("inner", shapes["a branch"]?.(made)({ triggerMode: options && Reflect.get(options, "triggerMode") }))
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile(options) as App,
  "a branch in a run inside of a node": (made) => (options) =>
    looseGraph()
      .addNode("outer", (text: string, ctx: never) => shapes["a branch"]?.(made)({}).invoke(text, { parent: ctx }))
      .addEdge(START, "outer")
      .addEdge("outer", END)
      .compile(options) as App,
  "a branch for an item": (made) => (options) =>
    looseGraph()
      .addNode("list", (text: string) => [text])
      .addNode("items", each(shapes["a branch"]?.(made)({}) as never))
      .addEdge(START, "list")
      .addEdge("list", "items")
      .addEdge("items", END)
      .compile(options) as App,
  "a branch of a workflow":
    (made) =>
    ({ triggerMode: _, ...options }: { triggerMode?: unknown }) => {
      const workflow = new Workflow<string, unknown>()
        .untyped()
        .addNode("first", later as never, { input: from(START) });
      workflow.addBranch("first", ["left", "right"], made.choose as never);
      for (const key of ["left", "right"])
        workflow.addNode(key, (async () => made.effects.add(key)) as never, { input: from("first") });
      return workflow.end({ left: from("left"), right: from("right") }).compile(options) as App;
    },
};

/** A store of a process that dies at its n-th write: from then on, nothing of it is ever answered. */
function mortal(
  store: CheckpointStore,
  writes: number,
): { readonly store: CheckpointStore; readonly died: Promise<void> } {
  let left = writes;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const get = (target: CheckpointStore, name: keyof CheckpointStore): unknown => {
    const call: unknown = target[name];
    if (typeof call !== "function") return call;
    return (...args: unknown[]) => {
      if (name === "put" || name === "append" || name === "delete") left--;
      if (left >= 0) return call.apply(target, args);
      die();
      return new Promise(() => undefined);
    };
  };
  return { store: new Proxy(store, { get: get as never }), died };
}

const runs = {
  invoke: (app: App) => app.invoke("x", { checkpointId: "1" }),
  stream: (app: App) => app.stream("x", { checkpointId: "1" }).concat(),
};

const noAppend = (): CheckpointStore => {
  const { append: _, ...store } = watchedStore();
  return store;
};

describe.each(Object.keys(shapes))("What %s has chosen", (name) => {
  describe.each(["anyPredecessor", "allPredecessor"])("with %s", (triggerMode) => {
    describe.each(Object.entries(runs))("in %s", (_, run) => {
      it.each([
        ["appends", memoryStore],
        ["does not append", noAppend],
      ] as const)("holds over a crash at each write, where the store %s", async (_store, make) => {
        for (let writes = 1; writes < 10; writes++) {
          const made = world();
          const compile = shapes[name]?.(made);
          if (compile === undefined) throw new Error(name);
          const store = make();
          const { store: dying, died } = mortal(store, writes);
          const options = { triggerMode, durability: "step", name: "app" };
          const running = run(compile({ ...options, store: dying }));
          const ended = await Promise.race([running.then(() => true), died.then(() => false)]);
          running.catch(() => undefined);
          if (ended) return;
          for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
          await compile({ ...options, store }).resume("1", undefined, { takeover: true });
          expect([...made.effects]).toHaveLength(1);
        }
        throw new Error("It never came to its end.");
      });
    });
  });

  it("is no entry of its own in the history", async () => {
    const made = world();
    const app = shapes[name]?.(made)({ name: "app", store: memoryStore(), durability: "step", history: true }) as App;
    await app.invoke("x", { checkpointId: "1" });
    for await (const { cause, ran } of app.history("1")) if (cause === "task") expect(ran).not.toEqual([]);
  });
});
