import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  createTool,
  END,
  Graph,
  type InterruptError,
  memoryStore,
  type NodeContext,
  RunControl,
  START,
  StreamReader,
} from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { forever, gate, turns } from "../run/gate.js";
import { rejectedBy } from "../run/rejected-by.js";
import { call, calls, textsOf } from "../tools/node/calls.js";
import { type Effects, effects, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const doing = (ran: Effects, key: string) => (text: string) => {
  ran.did(key);
  return `${text}${key}`;
};
const requested = { kind: "requested" };
const run = (control: RunControl) => ({ checkpointId: "run", control });

describe("A run that is asked from outside to stop", () => {
  it("lets the running node finish, and starts no other; resume goes on", async () => {
    const ran = effects();
    const control = new RunControl();
    const [started, release] = [gate(), gate()];
    const app = new Chain<string>()
      .append(async (text) => {
        started.open();
        await release.promise;
        return doing(ran, "a")(text);
      })
      .append(doing(ran, "b"))
      .compile({ store: memoryStore() });
    const stopped = interruptOf(app.invoke("-", run(control)));
    await started.promise;
    control.interrupt();
    release.open();
    expect(infosOf(await stopped)).toEqual([requested]);
    expect(ran.counts()).toEqual({ a: 1 });
    expect(await app.resume("run")).toBe("-ab");
    expect(ran.counts()).toEqual({ a: 1, b: 1 });
  });

  it("stops also when it is asked by one of its own nodes that does not wait for anything", async () => {
    const ran = effects();
    const control = new RunControl();
    const app = new Chain<string>()
      .append((text) => {
        control.interrupt();
        return doing(ran, "a")(text);
      })
      .append(doing(ran, "b"))
      .append(doing(ran, "c"))
      .compile({ store: memoryStore() });
    expect(infosOf(await interruptOf(app.invoke("-", run(control))))).toEqual([requested]);
    expect(ran.counts()).toEqual({ a: 1 });
    expect(await app.resume("run")).toBe("-abc");
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it.each(["anyPredecessor", "allPredecessor"] as const)("waits for all running nodes (%s)", async (triggerMode) => {
    const ran = effects();
    const control = new RunControl();
    const release = gate();
    const app = new Graph<string, unknown>()
      .addNode("slow", (text: string) => release.promise.then(() => doing(ran, "slow")(text)), { outputKey: "slow" })
      .addNode(
        "asks",
        async (text: string) => {
          control.interrupt();
          return doing(ran, "asks")(text);
        },
        { outputKey: "asks" },
      )
      .addNode("join", (parts: object) => {
        ran.did("join");
        return parts;
      })
      .addEdge(START, "slow")
      .addEdge(START, "asks")
      .addEdge("slow", "join")
      .addEdge("asks", "join")
      .addEdge("join", END)
      .compile({ triggerMode, store: memoryStore() });
    const stopped = interruptOf(app.invoke("-", run(control)));
    await turns();
    release.open();
    expect(infosOf(await stopped)).toEqual([requested]);
    expect(ran.counts()).toEqual({ slow: 1, asks: 1 });
    expect(await app.resume("run")).toEqual({ slow: "-slow", asks: "-asks" });
    expect(ran.counts()).toEqual({ slow: 1, asks: 1, join: 1 });
  });

  it("gives its result when it has reached END meanwhile", async () => {
    const control = new RunControl();
    const app = new Chain<string>()
      .append((text) => {
        control.interrupt();
        return `${text}done`;
      })
      .compile({ store: memoryStore() });
    expect(await app.invoke("-", run(control))).toBe("-done");
  });

  it("may be asked twice, and after its end: nothing changes", async () => {
    const control = new RunControl();
    const ran = effects();
    const app = new Chain<string>()
      .append((text) => {
        control.interrupt();
        control.interrupt();
        return `${text}${ran.did("a")}`;
      })
      .append((text) => text)
      .compile({ store: memoryStore() });
    await questionOf(app.invoke("-", run(control)));
    control.interrupt();
    expect(await app.resume("run")).toBe("-1");
  });

  it("stops as a stream, and goes on as one", async () => {
    const control = new RunControl();
    const ran = effects();
    const app = new Chain<string>()
      .append((text) => {
        control.interrupt();
        return doing(ran, "a")(text);
      })
      .append(doing(ran, "b"))
      .compile({ store: memoryStore() });
    expect(infosOf(await interruptOf(app.stream("-", run(control)).concat()))).toEqual([requested]);
    expect(await app.resumeStream("run").concat()).toBe("-ab");
    expect(ran.counts()).toEqual({ a: 1, b: 1 });
  });

  it("may be stopped again when it goes on", async () => {
    const ran = effects();
    const controls = [new RunControl(), new RunControl()];
    const app = new Chain<string>()
      .append((text) => {
        controls[0]?.interrupt();
        return doing(ran, "a")(text);
      })
      .append((text) => {
        controls[1]?.interrupt();
        return doing(ran, "b")(text);
      })
      .append(doing(ran, "c"))
      .compile({ store: memoryStore() });
    await questionOf(app.invoke("-", { checkpointId: "run", control: controls[0] }));
    await questionOf(app.resume("run", undefined, { control: controls[1] }));
    expect(await app.resume("run")).toBe("-abc");
    expect(ran.counts()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it("stops inside of a graph and of a child run", async () => {
    const ran = effects();
    const control = new RunControl();
    const inner = (key: string) =>
      new Chain<string>()
        .append((text) => {
          control.interrupt();
          return doing(ran, `${key}1`)(text);
        })
        .append(doing(ran, `${key}2`));
    const app = new Chain<string>()
      .append(inner("i"))
      .append((text, ctx) => inner("c").compile({ name: "child" }).invoke(text, { parent: ctx }))
      .compile({ store: memoryStore() });
    await interruptOf(app.invoke("-", run(control)));
    expect(ran.counts()).toEqual({ i1: 1 });
    const again = new RunControl();
    const stopped = app.resume("run", undefined, { control: again });
    again.interrupt();
    await stopped.catch(() => undefined);
    const result = await app.resume("run").catch(() => "-i1i2c1c2");
    expect(result).toBe("-i1i2c1c2");
    expect(ran.counts()).toMatchObject({ i1: 1, i2: 1, c1: 1, c2: 1 });
  });

  it("is what inner graphs and child runs tell that they wait for", async () => {
    const control = new RunControl();
    const recorder = recordingHandler();
    const stops = new Chain<string>()
      .append((text) => {
        control.interrupt();
        return text;
      })
      .append(async (text) => text);
    const app = new Chain<string>()
      .append((text, ctx) => stops.compile({ name: "child" }).invoke(text, { parent: ctx }))
      .compile({ store: memoryStore() });
    await interruptOf(app.invoke("-", { ...run(control), callbacks: [recorder] }));
    const heard = recorder.events.filter(({ timing }) => timing === "onInterrupt");
    expect(heard.map(({ info }) => info.name)).toEqual(["child", "node_0", ""]);
    for (const { info, value } of heard) {
      expect(value).toMatchObject({ interrupts: [{ address: info.address, info: requested }] });
    }
  });

  it("leaves together with a question", async () => {
    const control = new RunControl();
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("asks", async (text: string, ctx: NodeContext) => `${text}${await ctx.ask("q", "?")}`, {
        outputKey: "asks",
      })
      .addNode("stops", async (text: string) => {
        control.interrupt();
        return doing(ran, "stops")(text);
      })
      .addNode("next", doing(ran, "next"), { outputKey: "next" })
      .addEdge(START, "asks")
      .addEdge(START, "stops")
      .addEdge("stops", "next")
      .addEdge("asks", END)
      .addEdge("next", END)
      .compile({ triggerMode: "allPredecessor", store: memoryStore() });
    const error = await interruptOf(app.invoke("-", run(control)));
    const question = error.interrupts.find(({ info }) => info === "?");
    expect(await app.resume("run", { [String(question?.id)]: "!" })).toEqual({ asks: "-!", next: "-stopsnext" });
    expect(ran.counts()).toEqual({ stops: 1, next: 1 });
  });

  it("stops without a store, too", async () => {
    const control = new RunControl();
    const app = new Chain<string>()
      .append((text) => {
        control.interrupt();
        return text;
      })
      .append((text) => text)
      .compile();
    expect(infosOf(await interruptOf(app.invoke("-", { control })))).toEqual([requested]);
  });

  it("ends every run once for its handlers, with onInterrupt for the graph", async () => {
    const control = new RunControl();
    const recorder = recordingHandler();
    const app = new Chain<string>()
      .append(
        (text) => {
          control.interrupt();
          return text;
        },
        { key: "a" },
      )
      .append((text) => text, { key: "b" })
      .compile({ name: "app", store: memoryStore() });
    await interruptOf(app.invoke("-", { ...run(control), callbacks: [recorder] }));
    expect(recorder.names()).toEqual(["onStart app", "onStart a", "onEnd a", "onInterrupt app"]);
  });
});

describe("A run that is asked to stop within a time", () => {
  it("leaves the nodes that still run; they start again from their input", async () => {
    const ran = effects();
    const control = new RunControl();
    const inputs: string[] = [];
    const started = gate();
    const app = new Chain<string>()
      .append(doing(ran, "a"))
      .append(async (text) => {
        inputs.push(text);
        if (ran.did("slow") === 1) {
          started.open();
          return forever();
        }
        return `${text}b`;
      })
      .append(doing(ran, "c"))
      .compile({ store: memoryStore() });
    const stopped = interruptOf(app.invoke("-", run(control)));
    await started.promise;
    control.interrupt({ timeoutMs: 0 });
    expect(infosOf(await stopped)).toEqual([requested]);
    expect(await app.resume("run")).toBe("-abc");
    expect(inputs).toEqual(["-a", "-a"]);
    expect(ran.counts()).toEqual({ a: 1, slow: 2, c: 1 });
  });

  it("runs before again for a node that was cut off, on its original input", async () => {
    const control = new RunControl();
    const ran = effects();
    const started = gate();
    const given: string[] = [];
    const app = new Chain<string>()
      .withState(() => ({}))
      .append(
        async (text) => {
          if (ran.did("node") === 1) {
            started.open();
            return forever();
          }
          return text;
        },
        {
          before: (text) => {
            given.push(text);
            return `${text}${ran.did("before")}`;
          },
        },
      )
      .compile({ store: memoryStore() });
    const stopped = interruptOf(app.invoke("-", run(control)));
    await started.promise;
    control.interrupt({ timeoutMs: 0 });
    await stopped;
    expect(await app.resume("run")).toBe("-2");
    expect(given).toEqual(["-", "-"]);
  });

  it("keeps a stream that flows into a node which is cut off", async () => {
    const control = new RunControl();
    const ran = effects();
    const started = gate();
    const app = new Chain<string>()
      .append(async function* (text: string) {
        ran.did("writer");
        yield* text;
      })
      .append(async (text) => {
        if (ran.did("reader") === 1) {
          started.open();
          return forever();
        }
        return `${text}!`;
      })
      .compile({ store: memoryStore() });
    const stopped = interruptOf(app.stream("abc", run(control)).concat());
    await started.promise;
    control.interrupt({ timeoutMs: 0 });
    await stopped;
    expect(await app.resumeStream("run").concat()).toBe("abc!");
    expect(ran.counts()).toEqual({ writer: 1, reader: 2 });
  });

  it("keeps what has finished in time", async () => {
    const control = new RunControl();
    const ran = effects();
    const app = new Graph<string, unknown>()
      .addNode("fast", async (text: string) => doing(ran, "fast")(text), { outputKey: "fast" })
      .addNode(
        "slow",
        async (text: string) => {
          if (ran.did("slow") > 1) return text;
          control.interrupt({ timeoutMs: 2 });
          return forever();
        },
        { outputKey: "slow" },
      )
      .addEdge(START, "fast")
      .addEdge(START, "slow")
      .addEdge("fast", END)
      .addEdge("slow", END)
      .compile({ store: memoryStore() });
    expect(infosOf(await interruptOf(app.invoke("-", run(control))))).toEqual([requested]);
    expect(await app.resume("run")).toEqual({ fast: "-fast", slow: "-" });
    expect(ran.counts()).toEqual({ fast: 1, slow: 2 });
  });

  it("does not run finished tool calls again", async () => {
    const control = new RunControl();
    const ran = effects();
    const started = gate();
    const tool = (id: string, work: () => unknown) => createTool({ id, description: id, execute: work });
    const app = new Chain<AgenticMessage>()
      .appendToolsNode(
        new AgenticToolsNode([
          tool("fast", () => `fast ${ran.did("fast")}`),
          tool("slow", () => {
            if (ran.did("slow") > 1) return "slow";
            started.open();
            return forever();
          }),
        ]),
      )
      .compile({ store: memoryStore() });
    const stopped = interruptOf(app.invoke(calls(call("fast"), call("slow")), run(control)));
    await started.promise;
    await turns();
    control.interrupt({ timeoutMs: 0 });
    await stopped;
    expect(textsOf(await app.resume("run"))).toEqual(["fast 1", "slow"]);
    expect(ran.counts()).toEqual({ fast: 1, slow: 2 });
  });

  it("ends every run once for its handlers", async () => {
    const control = new RunControl();
    const recorder = recordingHandler();
    const started = gate();
    const app = new Chain<string>()
      .append(
        () => {
          started.open();
          return forever();
        },
        { key: "slow" },
      )
      .compile({ name: "app", store: memoryStore() });
    const stopped = interruptOf(app.invoke("-", { ...run(control), callbacks: [recorder] }));
    await started.promise;
    control.interrupt({ timeoutMs: 0 });
    await stopped;
    await turns();
    expect(recorder.unfinished()).toEqual([]);
    expect(recorder.names().filter((name) => name.endsWith(" slow"))).toHaveLength(2);
    expect(recorder.names("onInterrupt")).toContain("app");
  });
});

describe("A run that is cut off while its input still flows", () => {
  it.each(["collect", "transform"] as const)("does not promise that it can be resumed (%s)", async (mode) => {
    const app = new Chain<string>()
      .append((text: string) => `${text}!`, { key: "a" })
      .append((text) => `${text}?`, { key: "b" })
      .compile({ store: memoryStore() });
    const control = new RunControl();
    const flowing = gate();
    const input = StreamReader.from(
      (async function* () {
        yield "a";
        flowing.open();
        await forever();
      })(),
    );
    const options = { checkpointId: "1", control };
    const run = mode === "collect" ? app.collect(input, options) : app.transform(input, options).concat();
    const error = rejectedBy(run);
    await flowing.promise;
    control.interrupt({ timeoutMs: 0 });
    const { message, checkpointId } = (await error) as InterruptError;
    expect(message).toContain("before its input stream had ended, so nothing was saved. Start it again.");
    expect(message).not.toContain("resume(");
    expect(checkpointId).toBeUndefined();
    expect(await app.invoke("a", { checkpointId: "1" })).toBe("a!?");
  });
});
