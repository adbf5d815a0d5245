import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  Chain,
  END,
  Graph,
  lambda,
  passthrough,
  type Retriever,
  type RunOptions,
  START,
  userMessage,
} from "kumiko";
import { recordingHandler, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { errorOf } from "./rejected-by.js";

const messages = [userMessage("Hi")];
const answer = () => assistantMessage("Hello");

/** Two models, one of them in a graph inside. */
const twoModels = () => {
  const [first, second] = [scriptedModel(answer), scriptedModel(answer)];
  const inner = new Chain<AgenticMessage[]>().appendModel(second, { key: "model", options: { temperature: 0.2 } });
  const app = new Graph<AgenticMessage[], AgenticMessage>()
    .addModelNode("first", first, { options: { temperature: 0.1, topP: 0.5 } })
    .addNode("list", (message: AgenticMessage) => [message])
    .addNode("inner", inner)
    .addEdge(START, "first")
    .addEdge("first", "list")
    .addEdge("list", "inner")
    .addEdge("inner", END)
    .compile();
  const optionsSeen = () => [first.calls[0]?.options, second.calls[0]?.options];
  return { app, optionsSeen };
};

const modes = [["invoke"], ["stream"]] as const;

describe.each(modes)("Call options of a run (%s)", (mode) => {
  const run = async (options: RunOptions) => {
    const { app, optionsSeen } = twoModels();
    await (mode === "invoke" ? app.invoke(messages, options) : app.stream(messages, options).concat());
    return optionsSeen();
  };

  it("are the defaults of the nodes when nothing is given", async () => {
    expect(await run({})).toEqual([{ temperature: 0.1, topP: 0.5 }, { temperature: 0.2 }]);
  });

  it("by kind reach every component of the kind, at any depth, field by field", async () => {
    expect(await run({ options: { model: { temperature: 1, maxOutputTokens: 9 } } })).toEqual([
      { temperature: 1, topP: 0.5, maxOutputTokens: 9 },
      { temperature: 1, maxOutputTokens: 9 },
    ]);
  });

  it("by path reach one place, and win over those by kind", async () => {
    const options = { model: { temperature: 1 } };
    const nodes = { "inner/model": { options: { temperature: 2 } } };
    expect(await run({ options, nodes })).toEqual([{ temperature: 1, topP: 0.5 }, { temperature: 2 }]);
  });

  it("leave a default alone when they are undefined", async () => {
    expect(await run({ nodes: { first: { options: { temperature: undefined } } } })).toEqual([
      { temperature: 0.1, topP: 0.5 },
      { temperature: 0.2 },
    ]);
  });

  it("do not stay for the next run", async () => {
    await run({ options: { model: { temperature: 1 } } });
    expect(await run({})).toEqual([{ temperature: 0.1, topP: 0.5 }, { temperature: 0.2 }]);
  });
});

describe("Options of a lambda", () => {
  const seeing = (options?: object) =>
    new Chain<string>().append((_text, ctx) => ctx.options, { key: "see", options: plain(options) }).compile();

  it("reach it by kind and by path", async () => {
    expect(await seeing().invoke("", { options: { lambda: { a: 1 } } })).toEqual({ a: 1 });
    expect(await seeing({ a: 1, b: 1 }).invoke("", { nodes: { see: { options: { b: 2 } } } })).toEqual({ a: 1, b: 2 });
  });

  it("are one frozen object", async () => {
    const chain = new Chain<string>().append((_text, ctx) => {
      const { options } = ctx;
      return [options === ctx.options, Object.isFrozen(options)];
    });
    expect(await chain.compile().invoke("", { options: { lambda: { a: 1 } } })).toEqual([true, true]);
  });

  it("reach one that runs alone", async () => {
    const alone = lambda({ invoke: (_: string, ctx) => ctx.options });
    expect(await alone.invoke("", { options: { lambda: { a: 1 } } })).toEqual({ a: 1 });
  });
});

describe("What nothing in the graph accepts is an error before anything runs", () => {
  const ran: string[] = [];
  const inner = new Chain<string>().append((text) => text, { key: "step" });
  const app = new Chain<string>()
    .append(
      (text) => {
        ran.push("step");
        return text;
      },
      { key: "step" },
    )
    .append(passthrough(), { key: "same" })
    .append(inner, { key: "inner" })
    .compile();

  it.each([
    [
      "options of a kind that is not there",
      { options: { model: {} } },
      "INVALID_OPTION",
      "options.model was given, and nothing in this graph accepts it",
    ],
    ["tool options without a tools node", { options: { tool: [] } }, "INVALID_OPTION", "it has no tools node"],
    [
      "a kind that does not exist",
      { options: { models: {} } },
      "INVALID_OPTION",
      "Unknown component kind options.models",
    ],
    [
      "a node that does not exist",
      { nodes: { steps: {} } },
      "UNKNOWN_PATH",
      'nodes["steps"] names "steps", which is not a node there. Nodes: "step", "same", "inner"',
    ],
    [
      "a nested node that does not exist",
      { nodes: { "inner/steps": {} } },
      "UNKNOWN_PATH",
      'names "steps", which is not a node there. Nodes: "step"',
    ],
    [
      "a path into a node that is no graph",
      { nodes: { "step/step": {} } },
      "UNKNOWN_PATH",
      'names "step", which is not a node there',
    ],
    ["START", { nodes: { start: {} } }, "UNKNOWN_PATH", 'names "start"'],
    ["an empty path", { nodes: { "": {} } }, "UNKNOWN_PATH", 'nodes[""]'],
    ["options of a graph", { nodes: { inner: { options: {} } } }, "INVALID_OPTION", 'Name a node in it: "inner/…"'],
    ["options of a passthrough", { nodes: { same: { options: {} } } }, "INVALID_OPTION", "names a passthrough"],
    [
      "something else than options and callbacks",
      { nodes: { step: { option: {} } } },
      "INVALID_OPTION",
      'Unknown option "option" of nodes["step"]. Did you mean "options"?',
    ],
    [
      "an option that does not exist",
      { maxstep: 1 },
      "INVALID_OPTION",
      'Unknown option "maxstep" of a run. Did you mean "maxSteps"?',
    ],
    ["a maxSteps that is no whole number", { maxSteps: 1.5 }, "INVALID_OPTION", "at least 1"],
    ["a timeoutMs that is no number", { timeoutMs: Number.NaN }, "INVALID_OPTION", "timeoutMs must be a number"],
    ["a timeoutMs that no timer can wait for", { timeoutMs: 2 ** 31 }, "INVALID_OPTION", "from 0 to 2147483647"],
  ] as const)("%s", async (_what, options, code, text) => {
    for (const run of [app.invoke("", plain(options)), app.stream("", plain(options)).concat()]) {
      const recorder = recordingHandler();
      const error = await errorOf(run);
      expect(error.code).toBe(code);
      expect(error.message).toContain(text);
      expect([ran, recorder.events]).toEqual([[], []]);
    }
  });

  it("maxSteps in a graph of dependencies", async () => {
    const dag = new Graph<string, string>().addEdge(START, END).compile({ triggerMode: "allPredecessor" });
    const error = await errorOf(dag.invoke("", { maxSteps: 5 }));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain("cannot set max run steps");
  });
});

describe("Callbacks by path", () => {
  const inner = new Chain<string>().append((text) => text, { key: "step" });
  const app = new Chain<string>()
    .append(inner, { key: "inner" })
    .append((text) => text, { key: "step" })
    .compile();

  it.each(modes)("hear that place and everything inside it, not the graph around it (%s)", async (mode) => {
    const run = async (path: "step" | "inner" | "inner/step") => {
      const recorder = recordingHandler();
      const options = { nodes: { [path]: { callbacks: [recorder] } } };
      await (mode === "invoke" ? app.invoke("", options) : app.stream("", options).concat());
      return recorder.events.filter(({ timing }) => timing === "onStart").map(({ info }) => info.address);
    };
    expect(await run("step")).toEqual(["runnable:;node:step"]);
    expect(await run("inner")).toEqual(["runnable:;node:inner", "runnable:;node:inner;node:step"]);
    expect(await run("inner/step")).toEqual(["runnable:;node:inner;node:step"]);
  });
});

it("keeps components of one kind apart from those of another", async () => {
  const seen: unknown[] = [];
  const retriever: Retriever = {
    component: "retriever",
    retrieve: async (_query, { options }) => {
      seen.push(options);
      return [];
    },
  };
  const model: AgenticModel = scriptedModel((_messages, { options }) => {
    seen.push(options);
    return answer();
  });
  const app = new Chain<string>()
    .append(retriever)
    .append(() => messages)
    .appendModel(model)
    .compile();
  await app.invoke("query", { options: { retriever: { topK: 3 }, model: { temperature: 0 } } });
  expect(seen).toEqual([{ topK: 3 }, { temperature: 0 }]);
});
