// Programs in the way of Mastra's documentation, of agents and of workflows. The package is an argument: they are the same for both.
import { z } from "zod";

// the two packages have types of their own, and the same calls are made of both
type Any = ReturnType<typeof JSON.parse>;
/** The package, a model that gives these answers, and a Mastra with a store in memory. */
export interface Package {
  readonly api: Any;
  readonly model: (answers: readonly (string | Any[])[]) => Any;
  readonly mastra: (options: Any) => Any;
}

const call = (toolName: string, input: object, toolCallId = "c1"): Any => ({
  ...{ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) },
});
const textOf = async (stream: AsyncIterable<string>): Promise<string> => {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
};

const weatherTool = ({ api }: Package): Any =>
  api.createTool({
    id: "get-weather",
    description: "Current weather of a place",
    inputSchema: z.object({ location: z.string() }),
    outputSchema: z.object({ temperature: z.number(), conditions: z.string() }),
    execute: async ({ location }: Any) => ({ temperature: location.length, conditions: "clear" }),
  });

export const agents: Readonly<Record<string, (of: Package) => Promise<unknown>>> = {
  "a tool, its calls and results, and the usage": async (of) => {
    const agent = new of.api.Agent({
      ...{ id: "weather-agent", name: "Weather Agent", instructions: "Tell the weather." },
      ...{
        model: of.model([[call("weather", { location: "Oslo" })], "It is clear."]),
        tools: { weather: weatherTool(of) },
      },
    });
    const { text, finishReason, toolCalls, toolResults, usage, steps, object, error } = await of
      .mastra({ agents: { agent } })
      .getAgent("agent")
      .generate("How is the weather in Oslo?");
    return {
      ...{ text, finishReason, object, error, steps: steps.map((step: Any) => [step.text, step.finishReason]) },
      calls: toolCalls.map(({ payload }: Any) => [payload.toolCallId, payload.toolName, payload.args]),
      results: toolResults.map(({ payload }: Any) => [payload.toolName, payload.args, payload.result]),
      usage: [usage.inputTokens, usage.outputTokens, usage.totalTokens],
    };
  },
  "a structured answer, whole and growing": async (of) => {
    const schema = z.object({ summary: z.string(), keywords: z.array(z.string()) });
    const answer = '{"summary":"A day","keywords":["sun","sea"]}';
    const make = () => new of.api.Agent({ id: "s", name: "s", instructions: "Summarise.", model: of.model([answer]) });
    const { object } = await make().generate("Summarise the day", { structuredOutput: { schema } });
    const stream = await make().stream("Summarise the day", { structuredOutput: { schema } });
    let last: unknown;
    for await (const partial of stream.objectStream) last = partial;
    return { object, last, awaited: await stream.object };
  },
  "a stream: its text, its chunks, and what is awaited": async (of) => {
    const agent = new of.api.Agent({
      ...{ id: "t", name: "t", instructions: "Be brief.", tools: { weather: weatherTool(of) } },
      model: of.model([[call("weather", { location: "Rome" })], "Clear in Rome."]),
    });
    const stream = await agent.stream([{ role: "user", content: "Rome?" }]);
    const types: string[] = [];
    let seen = "";
    for await (const chunk of stream.fullStream) {
      // here, arguments that come whole are told as streamed ones too
      if (!/^data-|^tool-call-./.test(chunk.type)) types.push(chunk.type);
      if (chunk.type === "text-delta") seen += chunk.payload.text;
    }
    const awaited = [await stream.text, await stream.finishReason, (await stream.usage).inputTokens];
    return { types, seen, awaited, again: await textOf(stream.textStream) };
  },
  "approval of a tool call, given and refused": async (of) => {
    const told: unknown[] = [];
    for (const approves of [true, false]) {
      const agent = new of.api.Agent({
        ...{ id: "p", name: "p", instructions: "Be careful.", tools: { weather: weatherTool(of) } },
        model: of.model([[call("weather", { location: "Bonn" })], "Done."]),
      });
      const registered = of.mastra({ agents: { agent } }).getAgent("agent");
      const stream = await registered.stream("Bonn?", { requireToolApproval: true });
      let asked: Any;
      for await (const chunk of stream.fullStream) if (chunk.type === "tool-call-approval") asked = chunk.payload;
      const target = { runId: stream.runId, toolCallId: asked.toolCallId };
      const next = await (approves ? registered.approveToolCall(target) : registered.declineToolCall(target));
      const types: string[] = [];
      for await (const { type } of next.fullStream)
        if (/^tool-(result|output-denied|error)$/.test(type)) types.push(type);
      told.push([asked.toolName, asked.args, await stream.finishReason, types, await next.finishReason]);
    }
    return told;
  },
  "a suspended tool, resumed with data; instructions and tools by request": async (of) => {
    const confirm = of.api.createTool({
      ...{ id: "confirm", description: "Asks first", inputSchema: z.object({ city: z.string() }) },
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ sure: z.boolean() }),
      execute: async ({ city }: Any, { agent }: Any) =>
        agent.resumeData ? { city, sure: agent.resumeData.sure } : agent.suspend({ question: `Really ${city}?` }),
    });
    const agent = new of.api.Agent({
      ...{ id: "u", name: "u", instructions: ({ requestContext }: Any) => `Speak ${requestContext.get("language")}.` },
      tools: ({ requestContext }: Any) => (requestContext.get("language") ? { confirm } : {}),
      model: of.model([[call("confirm", { city: "Lima" })], "Booked."]),
    });
    const registered = of.mastra({ agents: { agent } }).getAgent("agent");
    const requestContext = new of.api.RequestContext([["language", "Spanish"]]);
    const stream = await registered.stream("Book", { requestContext });
    await stream.consumeStream();
    const { suspendPayload } = await stream.suspendPayload;
    const next = await registered.resumeStream({ sure: true }, { runId: stream.runId, requestContext });
    const results = await next.toolResults;
    return {
      ...{ suspendPayload, finishReason: await stream.finishReason, text: await next.text },
      results: results.map(({ payload }: Any) => payload.result),
      instructions: await registered.getInstructions({ requestContext }),
      tools: Object.keys(await registered.listTools({ requestContext })),
      description: registered.getDescription(),
    };
  },
};

const ended = ({ status, result, error, suspended }: Any): unknown => ({
  ...{ status, result, suspended, error: error && String(error.message ?? error) },
});
const step = ({ api }: Package, id: string, execute: Any, more: object = {}): Any =>
  api.createStep({
    id,
    inputSchema: z.any(),
    outputSchema: z.any(),
    ...more,
    execute: async (params: Any) => execute(params),
  });
const runOf = async (of: Package, workflow: Any): Promise<Any> =>
  (of.mastra({ workflows: { workflow: workflow.commit() } }).getWorkflow("workflow") as Any).createRun();
const flowOf = ({ api }: Package, more: object = {}): Any =>
  api.createWorkflow({ id: "flow", inputSchema: z.any(), outputSchema: z.any(), ...more });

export const workflows: Readonly<Record<string, (of: Package) => Promise<unknown>>> = {
  "steps, a mapping, and parallel steps": async (of) => {
    const parse = step(of, "parse", ({ inputData }: Any) => ({ words: inputData.text.split(" ") }));
    const count = step(of, "count", ({ inputData }: Any) => ({ count: inputData.words.length }));
    const longest = step(of, "longest", ({ inputData }: Any) => ({
      longest: Math.max(...inputData.words.map((w: string) => w.length)),
    }));
    const flow = flowOf(of)
      .then(parse)
      .parallel([count, longest])
      .map(async ({ inputData, getInitData }: Any) => ({
        ...inputData.count,
        ...inputData.longest,
        of: getInitData().text,
      }));
    return ended(await (await runOf(of, flow)).start({ inputData: { text: "to be or not" } }));
  },
  "a branch, and a loop until a condition holds": async (of) => {
    const small = step(of, "small", ({ inputData }: Any) => ({ value: inputData.value * 10 }));
    const large = step(of, "large", ({ inputData }: Any) => ({ value: inputData.value - 1 }));
    const grow = step(of, "grow", ({ inputData }: Any) => ({ value: inputData.value + 7 }));
    const flow = flowOf(of)
      .branch([
        [async ({ inputData }: Any) => inputData.value < 10, small],
        [async ({ inputData }: Any) => inputData.value >= 10, large],
      ])
      .map(async ({ inputData }: Any) => inputData.small ?? inputData.large)
      .dountil(grow, async ({ inputData }: Any) => inputData.value > 60);
    return ended(await (await runOf(of, flow)).start({ inputData: { value: 4 } }));
  },
  "a person who is asked, and an answer": async (of) => {
    const approve = step(
      ...([of, "approve"] as const),
      ({ inputData, resumeData, suspend, suspendData }: Any) => {
        if (resumeData === undefined) return suspend({ reason: `Pay ${inputData.amount}?` });
        return { paid: resumeData.approved ? inputData.amount : 0, asked: suspendData?.reason };
      },
      { resumeSchema: z.object({ approved: z.boolean() }), suspendSchema: z.object({ reason: z.string() }) },
    );
    const run = await runOf(of, flowOf(of).then(approve));
    const waiting = await run.start({ inputData: { amount: 12 } });
    const asked = waiting.suspendPayload;
    const resumed = await run.resume({ step: "approve", resumeData: { approved: true } });
    return { waiting: [waiting.status, waiting.suspended, asked.approve], resumed: ended(resumed) };
  },
  "a list, item by item, shared state, and an inner workflow": async (of) => {
    const stateSchema = z.object({ seen: z.number() });
    const price = step(
      of,
      "price",
      async ({ inputData, state, setState }: Any) => {
        await setState({ seen: state.seen + 1 });
        return { price: inputData.pieces * 2 };
      },
      { stateSchema },
    );
    const inner = flowOf(of, { id: "inner", stateSchema }).then(price).commit();
    const total = step(
      of,
      "total",
      ({ inputData, state }: Any) => ({
        total: inputData.reduce((sum: number, { price: one }: Any) => sum + one, 0),
        seen: state.seen,
      }),
      { stateSchema },
    );
    const flow = flowOf(of, { stateSchema }).foreach(inner).then(total);
    const inputData = [{ pieces: 1 }, { pieces: 4 }];
    return ended(await (await runOf(of, flow)).start({ inputData, initialState: { seen: 0 } }));
  },
  "an agent as a step, retries, an early end, and events": async (of) => {
    let attempts = 0;
    const shaky = step(
      of,
      "shaky",
      ({ inputData }: Any) => {
        attempts += 1;
        if (attempts < 3) throw new Error("again");
        return { prompt: `Say ${inputData.word}` };
      },
      { retries: 3 },
    );
    const agent = new of.api.Agent({
      id: "speaker",
      name: "speaker",
      instructions: "Say it.",
      model: of.model(["Hello."]),
    });
    const end = step(of, "end", ({ inputData, bail }: Any) => bail({ said: inputData.text, attempts }));
    const never = step(of, "never", () => ({ said: "never" }));
    const flow = flowOf(of).then(shaky).then(of.api.createStep(agent)).then(end).then(never);
    const run = await runOf(of, flow);
    const stream = run.stream({ inputData: { word: "hello" } });
    const events: string[] = [];
    for await (const { type, payload } of stream.fullStream)
      if (/^workflow-step-(start|result)$/.test(type)) events.push(`${type} ${payload.id ?? payload.stepName}`);
    return { result: ended(await stream.result), events };
  },
};
