import { type AgenticMessage, type CheckpointStore, memoryStore, toolCallsOf, toolResultsOf } from "kumiko";
import { type Agent, type AgentResult, createAgent, type Turn, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { call, canBeSent, failureOf, weatherCall, weatherTool } from "./agents.js";

type Break = "before it writes" | "after it has written" | "and the caller aborts";

/** A store of which one write fails. */
function breakingStore(how: Break) {
  const inner = memoryStore();
  const stop = new AbortController();
  let left = Number.POSITIVE_INFINITY;
  let hasBroken = false;
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left !== 0) return work();
    hasBroken = true;
    if (how === "and the caller aborts") {
      const written = await work();
      stop.abort(new Error("The caller left."));
      return written;
    }
    if (how === "after it has written") await work();
    throw new Error("The connection was lost.");
  };
  const store: CheckpointStore = {
    get: (id) => inner.get(id),
    put: (id, data, ifVersion) => write(() => inner.put(id, data, ifVersion)),
    append: (id, data, ifVersion) => write(async () => (await inner.append?.(id, data, ifVersion)) ?? Number.NaN),
    delete: (id, ifVersion) => write(() => inner.delete(id, ifVersion)),
    list: (prefix) => inner.list(prefix),
  };
  return {
    store,
    signal: stop.signal,
    /** Breaks the write of this number, counted from now. */
    breakAt(number: number) {
      left = number;
      hasBroken = false;
    },
    hasBroken: () => hasBroken,
  };
}

interface Scenario {
  /** The answers of the model, by how many it has given before. */
  readonly answers: (string | ReturnType<typeof call>[])[];
  readonly asks: boolean;
  readonly cities: readonly string[];
}

const scenarios: Record<string, Scenario> = {
  "an answer": { answers: ["Hello."], asks: false, cities: [] },
  "a round of tools": {
    answers: [[weatherCall("1", "Kyoto"), weatherCall("2", "Nara")], "Warm."],
    asks: false,
    cities: ["Kyoto", "Nara"],
  },
  "a question beside a call": {
    answers: [[weatherCall("1", "Kyoto"), call("2", "pay", { city: "Nara" })], "Paid."],
    asks: true,
    cities: ["Kyoto", "Nara"],
  },
};

/** An agent whose model counts what it was asked for: nothing may be paid twice. */
function agentOf({ answers }: Scenario, store: CheckpointStore) {
  const weather = weatherTool();
  const pay = weatherTool({ requireApproval: true });
  const asked: number[] = [];
  const answer = (messages: readonly AgenticMessage[]) => {
    const prompt = messages.findLastIndex(
      ({ role, contentBlocks }) => role === "user" && contentBlocks[0]?.type === "user_input_text",
    );
    const given = messages.slice(prompt).filter(({ role }) => role === "assistant").length;
    const isFirst = messages.filter(({ contentBlocks }) => contentBlocks[0]?.type === "user_input_text").length === 1;
    if (!isFirst) return "Next.";
    asked.push(given);
    return answers[given] ?? "Too many.";
  };
  const model = scriptedModel(...Array.from({ length: 12 }, () => answer));
  const tools = { get_weather: weather.tool, pay: pay.tool };
  const agent = createAgent({ model, tools, store, retry: false });
  return { agent, asked, ran: [weather.ran, pay.ran] };
}

type Way = "generate" | "stream";

async function prompt(agent: Agent, way: Way, text: string, signal?: AbortSignal): Promise<AgentResult> {
  const options = { threadId: "t", ...(signal !== undefined && { signal }) };
  if (way === "generate") return agent.generate(text, options);
  return readAll(agent.stream(text, options));
}

async function resume(agent: Agent, way: Way, answers?: Record<string, unknown>, options = {}): Promise<AgentResult> {
  if (way === "generate") return agent.resume({ threadId: "t" }, answers, options);
  return readAll(agent.resumeStream({ threadId: "t" }, answers, options));
}

async function readAll(stream: ReturnType<Agent["stream"]>): Promise<AgentResult> {
  for await (const _event of stream) {
    // read to its end
  }
  return stream.result;
}

const approve = ({ interrupts }: AgentResult) =>
  Object.fromEntries(interrupts.map(({ id }) => [id, { approved: true }] as const));

async function turnsOf(store: CheckpointStore): Promise<Turn[]> {
  const turns: Turn[] = [];
  for await (const turn of threads(store).turns("t")) turns.push(turn);
  return turns;
}

const outcomeOf = (promise: Promise<AgentResult>) =>
  promise.then(
    (value) => ({ value, error: undefined }),
    (error: Error & { code?: string }) => ({ value: undefined, error }),
  );

const ways: readonly Way[] = ["generate", "stream"];
const breaks: readonly Break[] = ["before it writes", "after it has written", "and the caller aborts"];

/** Runs a turn of which one write after the other breaks: at the first prompt, or when its question was answered. */
async function* brokenTurns(scenario: Scenario, way: Way, how: Break, isResumed: boolean) {
  for (let at = 1; ; at++) {
    const broken = breakingStore(how);
    const { agent, asked, ran } = agentOf(scenario, broken.store);
    let answers: Record<string, unknown> | undefined;
    if (isResumed) answers = approve(await prompt(agent, way, "Go"));
    broken.breakAt(at);
    const { signal } = broken;
    const first = await outcomeOf(
      isResumed ? resume(agent, way, answers, { signal }) : prompt(agent, way, "Go", signal),
    );
    if (!broken.hasBroken()) return;
    yield { ...broken, at, agent, asked, ran, first, answers };
  }
}

async function undisturbedLog(scenario: Scenario, way: Way): Promise<AgenticMessage[]> {
  const store = memoryStore();
  const { agent } = agentOf(scenario, store);
  const first = await prompt(agent, way, "Go");
  if (first.finishReason === "waiting") await resume(agent, way, approve(first));
  return threads(store).messages("t");
}

for (const [name, scenario] of Object.entries(scenarios)) {
  const begins = scenario.asks ? [false, true] : [false];
  for (const isResumed of begins)
    for (const way of ways)
      for (const how of breaks)
        describe(`a turn with ${name}${isResumed ? ", resumed with an answer" : ""} (${way}), when a write fails ${how}`, () => {
          it("can be resumed, and nothing runs or is logged twice", async () => {
            const log = await undisturbedLog(scenario, way);
            let writes = 0;
            for await (const { at, agent, asked, ran, first, store } of brokenTurns(scenario, way, how, isResumed)) {
              writes = at;
              const before = await turnsOf(store);
              if (before.length === 0) continue; // not even its prompt was written
              let result = first.value;
              if (before.at(-1)?.status !== "done") {
                if (result === undefined) result = await resume(agent, way);
                if (result.finishReason === "waiting") result = await resume(agent, way, approve(result));
              }
              const where = `write ${at}`;
              expect(await turnsOf(store), where).toMatchObject([{ status: "done" }]);
              if (result !== undefined) expect(result.text, where).toBe(scenario.answers.at(-1));
              expect(await threads(store).messages("t"), where).toEqual(log);
              expect(asked, where).toEqual(scenario.answers.map((_, index) => index));
              expect(ran.flat(), where).toEqual(scenario.cities);
              expect((await prompt(agent, way, "And now?")).text, where).toBe("Next.");
            }
            expect(writes).toBeGreaterThan(3);
          });

          it("can be left: the next prompt is answered, with the results that there were", async () => {
            for await (const { at, agent, ran, store } of brokenTurns(scenario, way, how, isResumed)) {
              const where = `write ${at}`;
              if ((await turnsOf(store)).length === 0) continue;
              const next = await outcomeOf(prompt(agent, way, "And now?"));
              if (next.error?.code === "THREAD_WAITING") {
                const closed = await agent.generate("And now?", { threadId: "t", onWaiting: "close" });
                expect(closed.text, where).toBe("Next.");
              } else expect(next.value?.text ?? next.error, where).toBe("Next.");
              const log = await threads(store).messages("t");
              expect(canBeSent(log), where).toBe(true);
              const known = log.flatMap(toolResultsOf).filter(({ isError }) => isError !== true);
              if (log.some((message) => toolCallsOf(message).length > 0))
                expect(known.map(({ result }) => result.split(":")[0]).toSorted(), where).toEqual(
                  ran.flat().toSorted(),
                );
            }
          });

          it("can be taken over", async () => {
            for await (const { at, agent, ran, asked, store, answers } of brokenTurns(scenario, way, how, isResumed)) {
              const where = `write ${at}`;
              const last = (await turnsOf(store)).at(-1);
              if (last === undefined || last.status === "done") continue;
              let result = await outcomeOf(resume(agent, way, answers, { takeover: true }));
              if (result.error?.code === "ALREADY_ANSWERED") result = await outcomeOf(resume(agent, way));
              if (result.value?.finishReason === "waiting")
                result = await outcomeOf(resume(agent, way, approve(result.value)));
              expect(result.value?.text ?? result.error, where).toBe(scenario.answers.at(-1));
              expect(asked, where).toEqual(scenario.answers.map((_, index) => index));
              expect(ran.flat(), where).toEqual(scenario.cities);
            }
          });
        });
}

describe.each(breaks)("a run with a checkpointId and an inner agent, when a write fails %s", (how) => {
  // a failed save is no failure of the tool: no model is told of it
  it.each(["throw", "result"] as const)(
    "can be resumed, and neither agent is asked twice (%s)",
    async (onToolError) => {
      for (let at = 1; ; at++) {
        const { store, signal, breakAt, ...state } = breakingStore(how);
        const asked: string[] = [];
        const weather = weatherTool();
        const answering =
          (name: string, ...answers: (string | ReturnType<typeof call>[])[]) =>
          (messages: readonly AgenticMessage[]) => {
            const given = messages.filter(({ role }) => role === "assistant").length;
            asked.push(`${name} ${given}`);
            return answers[given] ?? "Too many.";
          };
        const script = (...given: Parameters<typeof answering>) =>
          scriptedModel(...Array.from({ length: 9 }, () => answering(...given)));
        const inner = createAgent({
          name: "inner",
          description: "Knows.",
          model: script("inner", [weatherCall("1", "Nara")], "Warm."),
          tools: [weather.tool],
          retry: false,
        });
        const agent = createAgent({
          model: script("outer", [call("1", "inner", { prompt: "Weather?" })], "It is warm."),
          tools: [inner.asTool()],
          onToolError,
          store,
          retry: false,
        });
        breakAt(at);
        const first = await outcomeOf(agent.generate("Go", { checkpointId: "c", signal }));
        if (!state.hasBroken()) break;
        const isSaved = (await store.get("c")) !== undefined;
        const result =
          first.value ?? (isSaved ? await agent.resume("c") : await agent.generate("Go", { checkpointId: "c" }));
        expect(result.text, `write ${at}`).toBe("It is warm.");
        expect(asked, `write ${at}`).toEqual(["outer 0", "inner 0", "inner 1", "outer 1"]);
        expect(weather.ran, `write ${at}`).toEqual(["Nara"]);
      }
    },
  );
});

describe("a store that stays away", () => {
  it("does not hide why a turn has failed, and holds no thread", async () => {
    const inner = memoryStore();
    let isAway = false;
    const away = <T>(work: () => Promise<T>): Promise<T> =>
      isAway ? Promise.reject(new Error("The database is gone.")) : work();
    const store: CheckpointStore = {
      get: (id) => inner.get(id),
      put: (id, data, ifVersion) => away(() => inner.put(id, data, ifVersion)),
      delete: (id, ifVersion) => away(() => inner.delete(id, ifVersion)),
      list: (prefix) => inner.list(prefix),
    };
    const model = scriptedModel(() => {
      isAway = true;
      return new Error("The model is gone, too.");
    }, "Again.");
    const agent = createAgent({ model, store, retry: false });
    expect((await failureOf(agent.generate("Hi", { threadId: "t" }))).message).toContain("The model is gone, too.");
    isAway = false;
    expect((await agent.generate("Hi?", { threadId: "t" })).text).toBe("Again.");
  });

  it("after a call, for the run alone: the call runs again where the turn goes on, and is logged once", async () => {
    const inner = memoryStore();
    const { tool, ran } = weatherTool();
    let isAway = true;
    const away = <T>(id: string, work: () => Promise<T>): Promise<T> =>
      isAway && ran.length > 0 && id.endsWith("/run") ? Promise.reject(new Error("The database is gone.")) : work();
    const store: CheckpointStore = {
      get: (id) => inner.get(id),
      put: (id, data, ifVersion) => away(id, () => inner.put(id, data, ifVersion)),
      delete: (id, ifVersion) => inner.delete(id, ifVersion),
      list: (prefix) => inner.list(prefix),
    };
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    const agent = createAgent({ model, tools: [tool], store, retry: false });
    expect((await failureOf(agent.generate("Go", { threadId: "t" }))).code).toBe("STORE_FAILED");
    const results = async () => (await threads(inner).messages("t")).flatMap(toolResultsOf).map(({ result }) => result);
    expect(await results()).toEqual(["Kyoto: 21 °C"]);
    isAway = false;
    expect((await agent.resume({ threadId: "t" })).text).toBe("Warm.");
    expect(ran).toEqual(["Kyoto", "Kyoto"]);
    expect(await results()).toEqual(["Kyoto: 21 °C"]);
    expect(model.calls).toHaveLength(2);
  });
});
