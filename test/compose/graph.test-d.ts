import {
  type AgenticMessage,
  type CompiledGraph,
  END,
  Graph,
  type GraphTypeError,
  lambda,
  passthrough,
  type Runnable,
  START,
  toolCallsOr,
} from "kumiko";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";

declare const length: Runnable<string, number>;
declare const half: (count: number) => number;

describe("an edge", () => {
  const graph = new Graph<string, number>().addNode("length", length).addNode("half", half);

  it("joins an output to an input that accepts it, and nothing else", () => {
    const compiled = graph.addEdge(START, "length").addEdge("length", "half").addEdge("half", END).compile();
    expectTypeOf(compiled).toExtend<Runnable<string, number>>();
    // @ts-expect-error a number does not fit a string input
    graph.addEdge("length", "length");
    // @ts-expect-error START gives a string
    graph.addEdge(START, "half");
    // @ts-expect-error START gives a string, and the graph a number
    graph.addEdge(START, END);
  });

  it("knows the keys, and refuses others", () => {
    // @ts-expect-error no such source
    graph.addEdge("lenght", "half");
    // @ts-expect-error no such target
    graph.addEdge("length", "halve");
    // @ts-expect-error nothing leaves END
    graph.addEdge(END, "half");
    // @ts-expect-error nothing goes back to START
    graph.addEdge("half", START);
  });

  it("may be checked when the graph runs, if the output is unknown", () => {
    const open = graph.addNode("parse", (text: string): unknown => JSON.parse(text));
    open.addEdge("parse", "half").addEdge("parse", END);
  });

  it("takes a wider input, an interface or a readonly list for what fits", () => {
    interface Named {
      readonly name: string;
    }
    interface Person extends Named {
      readonly age: number;
    }
    new Graph<Person, readonly string[]>()
      .addNode("name", ({ name }: Named) => [name])
      .addEdge(START, "name")
      .addEdge("name", END)
      .compile();
  });
});

describe("a node", () => {
  const graph = new Graph<string, number>().addNode("length", length);

  it("has a key that is new, not reserved, and no path", () => {
    // @ts-expect-error already there
    graph.addNode("length", length);
    // @ts-expect-error reserved
    graph.addNode("start", length);
    // @ts-expect-error reserved
    graph.addNode("end", length);
    // @ts-expect-error separates the keys of a path
    graph.addNode("a/b", length);
    // @ts-expect-error empty
    graph.addNode("", length);
    // @ts-expect-error JavaScript gives it a meaning of its own
    graph.addNode("__proto__", length);
  });

  it("gets the context of its graph", () => {
    new Graph<string, string>().addNode("plain", (text: string, ctx) => {
      expectTypeOf(ctx.state).toEqualTypeOf<undefined>();
      expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
      return text;
    });
    new Graph<string, string>()
      .withState(() => ({ turns: 0 }))
      .addNode("stateful", (text: string, { state }) => {
        expectTypeOf(state).toEqualTypeOf<{ turns: number }>();
        return text;
      });
  });

  it("gives the chunks of what it streams", () => {
    const streaming = new Graph<string, string>()
      .addNode("generator", async function* (text: string) {
        yield text.length;
      })
      .addNode("web", (text: string): ReadableStream<number> => new ReadableStream({ start: () => void text }))
      .addNode("half", half);
    streaming.addEdge("generator", "half").addEdge("web", "half");
    // @ts-expect-error chunks are numbers
    streaming.addEdge("generator", END);
  });

  it("takes only nodes", () => {
    // @ts-expect-error a number is no node
    graph.addNode("number", 5);
    // @ts-expect-error a tool is no node
    graph.addNode("tool", { component: "tool", info: {} });
    // @ts-expect-error a promise of a node is no node
    graph.addNode("promised", Promise.resolve(half));
  });
});

describe("compile()", () => {
  interface Parts {
    readonly size: number;
    readonly loud: string;
    readonly note?: string;
  }
  const graph = new Graph<string, Parts>()
    .addNode("size", (text: string) => text.length, { outputKey: "size" })
    .addNode("loud", (text: string) => text.toUpperCase(), { outputKey: "loud" })
    .addNode("join", (parts: Parts) => parts)
    .addEdge(START, "size")
    .addEdge(START, "loud")
    .addEdge("size", "join")
    .addEdge("join", END);

  it("is there once every input is fed, by parts or whole; optional fields need not be", () => {
    expectTypeOf(graph.addEdge("loud", "join").compile()).toExtend<Runnable<string, Parts>>();
  });

  it("names the node and the field that nothing supplies", () => {
    expectTypeOf<typeof graph.compile>().toEqualTypeOf<GraphTypeError<'"join" never gets "loud"'>>();
    // @ts-expect-error "join" never gets "loud"
    graph.compile();
  });

  it("is not fed by a field that may be missing", () => {
    const graph = new Graph<{ title?: string }, string>()
      .addNode("write", ({ title }: { title: string | undefined }) => title ?? "none")
      .addEdge(START, "write")
      .addEdge("write", END);
    expectTypeOf(graph.compile).toEqualTypeOf<GraphTypeError<'"write" never gets "title"'>>();
    const loose = new Graph<{ title?: string }, string>()
      .addNode("write", ({ title }: { title?: string }) => title ?? "none")
      .addEdge(START, "write")
      .addEdge("write", END);
    expectTypeOf(loose.compile).toBeFunction();
  });

  it("names nodes without an incoming edge, END among them", () => {
    const unfed = new Graph<string, number>().addNode("length", length).addNode("half", half).addEdge(START, "length");
    expectTypeOf(unfed.compile).toEqualTypeOf<
      GraphTypeError<'"half" has no incoming edge' | '"end" has no incoming edge'>
    >();
  });

  it("refuses a part whose field has another type", () => {
    // @ts-expect-error field "size" does not fit
    graph.addNode("wrong", () => ({ size: "big" })).addEdge("wrong", "join");
    // @ts-expect-error no field of "join"
    graph.addNode("other", () => ({ depth: 1 })).addEdge("other", "join");
    // @ts-expect-error a list is no record
    graph.addNode("list", () => ["size"]).addEdge("list", "join");
  });

  it("does not take a class instance with methods for a record of parts", () => {
    const dated = graph.addNode("dated", (date: Date) => date).addNode("time", () => ({ getTime: () => 1 }));
    // @ts-expect-error a date is no record
    dated.addEdge("time", "dated");
  });

  it("says nothing of computed keys and of statements, which are checked when they run", () => {
    const [a, b] = ["a", "b"] as string[] as [string, string];
    const computed = new Graph<string, number>().addNode(a, length).addNode(b, half).addEdge(START, a);
    expectTypeOf(computed.addEdge(a, b).addEdge(b, END).compile()).toExtend<Runnable<string, number>>();
    const statements = new Graph<string, number>();
    statements.addNode("length", length);
    expectTypeOf(statements.compile()).toExtend<Runnable<string, number>>();
  });

  it("takes its own options only", () => {
    const complete = graph.addEdge("loud", "join");
    complete.compile({ name: "parts", triggerMode: "allPredecessor", callbacks: [] });
    // @ts-expect-error a typing mistake
    complete.compile({ maxStep: 3 });
    // @ts-expect-error no such mode
    complete.compile({ triggerMode: "all" });
  });
});

describe("a branch", () => {
  const graph = new Graph<number, string>()
    .addNode("even", (count: number) => `${count}`)
    .addNode("odd", (count: number) => `${count}`)
    .addNode("shout", (text: string) => text)
    .addNode("pair", (both: { left: number; right: number }) => both.left);

  it("chooses one of its targets, or several, at once or later", () => {
    graph.addBranch(START, ["even", "odd"], (count) => {
      expectTypeOf(count).toEqualTypeOf<number>();
      return count % 2 === 0 ? "even" : "odd";
    });
    graph.addBranch(START, ["even", "odd"], async () => ["even", "odd"]);
    graph.addBranch("even", ["shout", END], () => []);
    graph.addBranch("even", ["shout", END], async () => END);
    graph.addBranch("even", ["shout", END], (text) => (text === "" ? [] : Promise.resolve("shout")));
    // @ts-expect-error "shout" is no target of this branch
    graph.addBranch(START, ["even", "odd"], () => "shout");
    // @ts-expect-error one of these is no target
    graph.addBranch(START, ["even", "odd"], async (count) => (count > 1 ? "even" : "ood"));
    // @ts-expect-error any text may be no target
    graph.addBranch("even", ["shout", END], (text) => text);
    // @ts-expect-error one of these is no target
    graph.addBranch(START, ["even", "odd"], (count) => (count > 1 ? "even" : "ood"));
    // @ts-expect-error a list with a key that is no target
    graph.addBranch(START, ["even", "odd"], () => ["even", "shout"]);
  });

  it("looks at a stream in addStreamBranch", () => {
    graph.addStreamBranch("even", ["shout", END], async (stream) => {
      for await (const chunk of stream) expectTypeOf(chunk).toEqualTypeOf<string>();
      return END;
    });
  });

  it("leads to nodes that take the whole output", () => {
    // @ts-expect-error "shout" takes text
    graph.addBranch(START, ["even", "shout"], () => "even");
    // @ts-expect-error no such node
    graph.addBranch(START, ["even", "nope"], () => "even");
    const parted = graph.addNode("left", () => ({ left: 1 }));
    parted.addEdge("left", "pair");
    // @ts-expect-error a branch cannot bring a part: it may not be chosen
    parted.addBranch("left", ["pair"], () => "pair");
  });

  it("feeds its targets", () => {
    const fed = new Graph<number, string>()
      .addNode("even", (count: number) => `${count}`)
      .addBranch(START, ["even"], () => "even")
      .addBranch("even", [END], () => END);
    expectTypeOf(fed.compile()).toExtend<Runnable<number, string>>();
  });

  it("may be toolCallsOr", () => {
    const agent = new Graph<AgenticMessage, number | AgenticMessage>()
      .addNode("model", (message: AgenticMessage) => message)
      .addNode("tools", (message: AgenticMessage) => message.contentBlocks.length)
      .addEdge(START, "model")
      .addEdge("tools", END);
    agent.addStreamBranch("model", ["tools", END], toolCallsOr("tools", END)).compile();
    // @ts-expect-error "tool" is no target
    agent.addStreamBranch("model", ["tools", END], toolCallsOr("tool", END));
  });
});

describe("a passthrough", () => {
  it("gives what flows into it, also through several", () => {
    const graph = new Graph<string, string>()
      .addNode("one", passthrough())
      .addNode("two", passthrough())
      .addNode("length", length)
      .addNode("half", half)
      .addEdge(START, "one")
      .addEdge("one", "two")
      .addEdge("two", "length");
    // @ts-expect-error text flows
    graph.addEdge("two", "half");
    graph.addEdge("two", END);
  });

  it("has the type that it is given", () => {
    expectTypeOf(passthrough<string>()).toEqualTypeOf<Runnable<string, string>>();
    const graph = new Graph<string, string>().addNode("text", passthrough<string>()).addNode("half", half);
    // @ts-expect-error text flows
    graph.addEdge("text", "half");
    // @ts-expect-error numbers do not fit
    graph.addEdge("half", "text");
  });

  it("joins the parts that flow into it", () => {
    const graph = new Graph<string, { a: number; b: string }>()
      .addNode("a", length, { outputKey: "a" })
      .addNode("b", (text: string) => text, { outputKey: "b" })
      .addNode("both", passthrough())
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "both")
      .addEdge("b", "both")
      .addEdge("both", END);
    expectTypeOf(graph.compile()).toExtend<Runnable<string, { a: number; b: string }>>();
  });
});

describe("the options of a node", () => {
  const graph = new Graph<{ question: string }, string>().withState(() => ({ asked: [] as string[] }));

  it("have the types of its input, its output and the state", () => {
    graph.addNode("ask", ({ question }: { question: string }) => question.length, {
      before: (input, state, ctx) => {
        expectTypeOf(input).toEqualTypeOf<{ question: string }>();
        expectTypeOf(state).toEqualTypeOf<{ asked: string[] }>();
        expectTypeOf(ctx.state).toEqualTypeOf<{ asked: string[] }>();
        return input;
      },
      after: async (output) => output + 1,
      streamBefore: (stream) => stream.map((chunk) => ({ question: chunk.question.trim() })),
      streamAfter: async function* (stream) {
        for await (const count of stream) yield count;
      },
      merge: (values, sources) => ({ question: values.map(({ question }) => question).join(sources[0]) }),
    });
    // @ts-expect-error the handler gives a number where the node takes a record
    graph.addNode("wrong", ({ question }: { question: string }) => question, { before: () => 5 });
    // @ts-expect-error the node gives text
    graph.addNode("late", () => "x", { after: () => 5 });
    // @ts-expect-error a typing mistake
    graph.addNode("typo", () => "x", { outputkey: "x" });
  });

  it("change what edges see: keys wrap inputs and outputs, and handlers stand outside of them", () => {
    const keyed = graph
      .addNode("size", (question: string) => question.length, {
        inputKey: "question",
        outputKey: "size",
        before: (input) => {
          expectTypeOf(input).toEqualTypeOf<Readonly<Record<"question", string>>>();
          return input;
        },
        after: (output) => ({ size: output.size }),
      })
      .addNode("show", ({ size }: { size: number }) => `${size}`)
      .addEdge(START, "size")
      .addEdge("size", "show")
      .addEdge("show", END);
    expectTypeOf(keyed.compile()).toExtend<Runnable<{ question: string }, string>>();
    // @ts-expect-error the output is a record
    keyed.addEdge("size", END);
  });

  it("need a state for handlers", () => {
    const stateless = new Graph<string, string>();
    // @ts-expect-error no withState(...)
    stateless.addNode("a", (text: string) => text, { before: (text: string) => text });
    // @ts-expect-error no withState(...)
    stateless.addNode("b", (text: string) => text, { streamAfter: (stream: AsyncIterable<string>) => stream });
  });

  it("are preceded by the state", () => {
    const late = new Graph<string, string>().addNode("a", (text: string) => text);
    // @ts-expect-error withState(...) stands before the first node
    late.withState(() => ({}));
  });
});

describe("addNodes", () => {
  const graph = new Graph<string, string>()
    .withState(() => ({ count: 0 }))
    .addNodes({
      length,
      half,
      loud: { node: (text: string, ctx) => text.repeat(ctx.state.count), options: { name: "Loud", outputKey: "loud" } },
      counted: { node: (text: string) => text, options: { before: (text: string, state) => text + state.count } },
      pick: { node: (loud: string) => loud, options: { inputKey: "loud" } },
      inner: new Graph<number, string>().addNode("in", String).addEdge(START, "in").addEdge("in", END),
    });

  it("checks the options of its nodes as addNode does", () => {
    const stateful = () => new Graph<string, string>().withState(() => ({ count: 0 }));
    const node = (text: string) => text.length;
    stateful().addNodes({
      a: {
        node,
        options: {
          inputKey: "text",
          outputKey: "size",
          name: "A",
          retry: { attempts: 2 },
          before: (given: { text: string }, state) => ({ text: given.text.repeat(state.count) }),
          after: async (given: { size: number }) => ({ size: given.size + 1 }),
          merge: ([first]: readonly { text: string }[]) => ({ text: first?.text ?? "" }),
          fallback: () => 0,
          cache: { key: (text: string) => text },
        },
      },
    });
    // @ts-expect-error "outputkey" is not an option of a node
    stateful().addNodes({ a: { node, options: { outputkey: "size" } } });
    stateful().addNodes({ a: { node, options: { retry: true, cache: false } } });
    // @ts-expect-error "attemps" is not one of the "retry" of this node
    stateful().addNodes({ a: { node, options: { retry: { attemps: 2 } } } });
    // @ts-expect-error the key is made of a text
    stateful().addNodes({ a: { node, options: { cache: { key: (count: number) => `${count}` } } } });
    // @ts-expect-error a name is a text
    stateful().addNodes({ a: { node, options: { name: 5 } } });
    // @ts-expect-error the node takes a text
    stateful().addNodes({ a: { node, options: { before: (count: number) => count } } });
    // @ts-expect-error the handler gives a number where the node takes a text
    stateful().addNodes({ a: { node, options: { before: (text: string) => text.length } } });
    // @ts-expect-error the node gives a number
    stateful().addNodes({ a: { node, options: { after: (text: string) => text } } });
    // @ts-expect-error behind its output key the node gives a record
    stateful().addNodes({ a: { node, options: { outputKey: "size", after: (size: number) => size } } });
    // @ts-expect-error the node gives a number
    stateful().addNodes({ a: { node, options: { fallback: () => "none" } } });
    // @ts-expect-error the node takes a text
    stateful().addNodes({ a: { node, options: { merge: (counts: readonly number[]) => counts[0] } } });
    // @ts-expect-error no such rule
    stateful().addNodes({ a: { node, options: { concat: "lists" } } });
    // @ts-expect-error no withState(...)
    new Graph<string, string>().addNodes({ a: { node, options: { before: (text: string) => text } } });
  });

  it("knows what its nodes take and give", () => {
    const complete = graph
      .addEdge(START, "length")
      .addEdge("length", "half")
      .addEdge("half", "inner")
      .addEdge("inner", "counted")
      .addEdge("counted", "loud")
      .addEdge("loud", "pick")
      .addEdge("pick", END);
    expectTypeOf(complete.compile()).toExtend<Runnable<string, string>>();
    // @ts-expect-error a record does not fit
    graph.addEdge("loud", "length");
    // @ts-expect-error a number does not fit
    graph.addEdge("half", "loud");
    // @ts-expect-error nothing is fed yet
    graph.compile();
  });

  it("refuses keys that are taken, reserved, or look like integers", () => {
    // @ts-expect-error already there
    graph.addNodes({ length });
    // @ts-expect-error reserved
    graph.addNodes({ start: length });
    // @ts-expect-error JavaScript would move it to the front
    graph.addNodes({ 1: length });
    // @ts-expect-error JavaScript would move it to the front
    graph.addNodes({ "1": length });
  });
});

describe("a graph with schemas", () => {
  it("has the types of its schemas: what is given, what flows, what comes back", () => {
    const graph = new Graph({
      input: z.object({ query: z.string(), limit: z.number().default(3) }),
      output: z.string().transform((text) => text.length),
    })
      .addNode("search", ({ query, limit }: { query: string; limit: number }) => query.repeat(limit))
      .addEdge(START, "search")
      .addEdge("search", END);
    const compiled = graph.compile();
    expectTypeOf(compiled.invoke).parameter(0).toEqualTypeOf<{ query: string; limit?: number | undefined }>();
    expectTypeOf(compiled.invoke).returns.resolves.toEqualTypeOf<number>();
    // @ts-expect-error the output schema takes text
    graph.addNode("wrong", () => 5).addEdge("wrong", END);
  });

  it("may have one of them", () => {
    const graph = new Graph({ input: z.string() }).addNode("length", length).addEdge(START, "length");
    expectTypeOf(graph.addEdge("length", END).compile().invoke).returns.resolves.toEqualTypeOf<unknown>();
  });
});

describe("a graph inside a graph", () => {
  const inner = new Graph<string, number>().addNode("length", length).addEdge(START, "length");

  it("is a node with the types of its ends, compiled or not", () => {
    const complete = inner.addEdge("length", END);
    const outer = new Graph<string, number>()
      .addNode("built", complete)
      .addNode("compiled", complete.compile())
      .addNode("lambda", lambda({ invoke: (count: number) => `${count}` }))
      .addEdge(START, "built")
      .addEdge("built", "lambda")
      .addEdge("lambda", "compiled")
      .addEdge("compiled", END);
    expectTypeOf(outer.compile()).toExtend<CompiledGraph<string, number>>();
    // @ts-expect-error numbers do not fit
    outer.addEdge("built", "compiled");
  });

  it("must be complete", () => {
    // @ts-expect-error "end" has no incoming edge
    new Graph<string, number>().addNode("inner", inner);
  });
});

it("lets a branch choose one key here and several there", () => {
  const graph = new Graph<string, string>()
    .addNode("a", (text: string) => text)
    .addNode("b", (text: string) => text)
    .addEdge(START, "a");
  graph.addBranch("a", ["a", "b", END], (text) => (text === "" ? ["a", "b"] : [END]));
  graph.addBranch("a", ["a", "b", END], (text) => (text === "" ? ["a", "b"] : END));
  // @ts-expect-error "b" is none of the targets
  graph.addBranch("a", ["a", END], (text) => (text === "" ? ["a", "b"] : [END]));
});
