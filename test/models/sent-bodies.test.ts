import { createAnthropic } from "@ai-sdk/anthropic";
import { createAzure } from "@ai-sdk/azure";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createTool, memoryStore, userMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import { type AiSdkModel, structured } from "kumiko/models";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fakeProvider, saying } from "./fake-provider.js";
import { strictProblems } from "./strict-rules.js";

type Body = Readonly<Record<string, unknown>>;

/** The real provider packages, and the bodies that they send. */
function providers(): { bodies: Body[]; models: Record<string, AiSdkModel> } {
  const bodies: Body[] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(String(init?.body)));
    return new Response("{}", { status: 400 });
  };
  const openai = createOpenAI({ apiKey: "none", fetch });
  const azure = createAzure({ apiKey: "none", resourceName: "maple", fetch });
  const models = {
    openai: openai("gpt-5"),
    "openai, chat": openai.chat("gpt-5"),
    azure: azure("gpt-5"),
    "azure, chat": azure.chat("gpt-5"),
    anthropic: createAnthropic({ apiKey: "none", fetch })("claude-sonnet-4-5"),
    google: createGoogle({ apiKey: "none", fetch })("gemini-2.5-flash"),
  };
  return { bodies, models };
}

const schemas = {
  "optional, default, union": z.object({
    a: z.string().optional(),
    n: z.number().default(3),
    u: z.discriminatedUnion("t", [
      z.object({ t: z.literal("x"), x: z.number().optional() }),
      z.object({ t: z.literal("y"), y: z.array(z.object({ s: z.string().nullish() })) }),
    ]),
  }),
  "a record": z.object({ r: z.record(z.string(), z.number()) }),
};

/** The schema in a body, and whether the service is to enforce it. */
function formatOf(body: Body): { schema: unknown; strict: unknown } {
  const { text, response_format, output_config, generationConfig, tools } = body as Record<
    string,
    Record<string, Body>
  >;
  const format = text?.format ?? response_format?.json_schema ?? output_config?.format;
  return {
    schema: format?.schema ?? generationConfig?.responseJsonSchema ?? tools?.[0]?.input_schema,
    strict: format?.strict,
  };
}

describe.each(["structured", "createAgent"] as const)("what %s sends by the packages of providers", (how) => {
  async function bodyFor(name: string, schema: z.ZodType, options: object = {}): Promise<Body> {
    const { bodies, models } = providers();
    const model = models[name];
    if (model === undefined) throw new Error(name);
    const modelOptions = options as Record<string, never>;
    const asked =
      how === "structured"
        ? structured(model, schema, { modelOptions }).invoke([userMessage("Hi")])
        : createAgent({ model, output: schema, retry: false, modelOptions }).generate("Hi");
    await asked.catch(() => undefined);
    expect(bodies).toHaveLength(1);
    return bodies[0] ?? {};
  }

  it.each(Object.keys(providers().models))("to %s is a strict form where there is one", async (name) => {
    const { schema, strict } = formatOf(await bodyFor(name, schemas["optional, default, union"]));
    expect(strictProblems(schema)).toEqual([]);
    if (/openai|azure/.test(name)) expect(strict).toBe(true);
  });

  it.each(Object.keys(providers().models))("to %s is as it is without one, and not enforced", async (name) => {
    const { schema, strict } = formatOf(await bodyFor(name, schemas["a record"]));
    expect(schema).toMatchObject({ type: "object", properties: { r: { type: "object" } } });
    if (/openai|azure/.test(name)) expect(strict).toBe(false);
  });

  it("keeps what the caller says about strict schemas", async () => {
    const providerOptions = { openai: { strictJsonSchema: true, store: false } };
    const body = await bodyFor("openai", schemas["a record"], { providerOptions });
    expect(formatOf(body).strict).toBe(true);
    expect(body.store).toBe(false);
    const forAzure = { providerOptions: { azure: { store: false } } };
    const azure = await bodyFor("azure", schemas["a record"], forAzure);
    expect([formatOf(azure).strict, azure.store]).toEqual([false, false]);
  });
});

it("reads answers to suspended tools by a strict schema", async () => {
  const { bodies, models } = providers();
  const store = memoryStore();
  const when = createTool({
    id: "when",
    description: "Asks for a time.",
    inputSchema: z.object({}),
    suspendSchema: z.object({ ask: z.string() }),
    resumeSchema: z.object({ time: z.string(), note: z.string().optional() }),
    execute: (_, ctx) => (ctx.resumeData === undefined ? ctx.suspend({ ask: "When?" }) : "ok"),
  });
  const { scriptedModel } = await import("kumiko/testing");
  const { functionToolCall } = await import("kumiko");
  const calls = scriptedModel([functionToolCall({ callId: "1", name: "when", arguments: "{}" })]);
  await createAgent({ store, tools: [when], model: calls }).generate("Book", { threadId: "t" });
  const model = models.openai as AiSdkModel;
  const agent = createAgent({ store, tools: [when], model, autoResumeSuspendedTools: true, retry: false });
  await agent.generate("Tomorrow", { threadId: "t" }).catch(() => undefined);
  const { schema, strict } = formatOf(bodies[0] ?? {});
  expect([strict, strictProblems(schema)]).toEqual([true, []]);
});

describe("reasoning", () => {
  /** The provider options that a model of a provider gets. */
  async function sentTo(
    version: "v2" | "v3",
    provider: string,
    reasoning: string,
    providerOptions?: object,
    more: object = {},
  ) {
    const model = Object.assign(fakeProvider([saying("Hi")], { version, provider }), more);
    const events: unknown[] = [];
    const handler = { onEvent: (_: unknown, event: unknown) => void events.push(event) };
    const modelOptions = { reasoning, providerOptions } as object;
    await createAgent({ model, modelOptions, callbacks: [handler] }).stream("Hi").result;
    return { sent: model.calls[0]?.providerOptions, events };
  }

  const enabled = (budgetTokens: number) => ({ anthropic: { thinking: { type: "enabled", budgetTokens } } });
  const thinks = (thinkingBudget: number) => ({ google: { thinkingConfig: { thinkingBudget } } });

  it.each([
    ["openai.responses", "high", { openai: { reasoningEffort: "high" } }],
    ["openai.chat", "none", { openai: { reasoningEffort: "none" } }],
    ["azure.responses", "xhigh", { openai: { reasoningEffort: "xhigh" } }],
    ["azure-openai.chat", "low", { openai: { reasoningEffort: "low" } }],
    ["xai.chat", "low", { xai: { reasoningEffort: "low" } }],
    ["anthropic.messages", "minimal", enabled(1_024)],
    ["anthropic.messages", "low", enabled(1_024)],
    ["anthropic.messages", "medium", enabled(4_096)],
    ["vertex.anthropic.messages", "high", enabled(16_384)],
    ["anthropic.messages", "xhigh", enabled(32_768)],
    ["anthropic.messages", "none", { anthropic: { thinking: { type: "disabled" } } }],
    ["google.generative-ai", "medium", thinks(4_096)],
    ["google.vertex.chat", "xhigh", thinks(32_768)],
    ["google.generative-ai", "none", thinks(0)],
  ])("is a setting of %s in V2 and V3: %s", async (provider, reasoning, expected) => {
    for (const version of ["v2", "v3"] as const) {
      expect(await sentTo(version, provider, reasoning)).toEqual({ sent: expected, events: [] });
    }
  });

  it("is one of any service of @ai-sdk/openai-compatible, under its name", async () => {
    const { sent } = await sentTo("v2", "maple.chat", "low", undefined, { providerOptionsName: "maple" });
    expect(sent).toEqual({ maple: { reasoningEffort: "low" } });
  });

  it.each([
    ["openai.chat", { openai: { reasoningEffort: "low", user: "u" } }],
    ["anthropic.messages", { anthropic: { thinking: { type: "adaptive" } } }],
    ["google.generative-ai", { google: { thinkingConfig: { thinkingLevel: "low" } } }],
  ])("of the caller's own providerOptions wins with %s", async (provider, providerOptions) => {
    expect((await sentTo("v3", provider, "high", providerOptions)).sent).toEqual(providerOptions);
  });

  it("stands beside other settings", async () => {
    const google = { google: { thinkingConfig: { includeThoughts: true } }, other: { a: 1 } };
    expect((await sentTo("v3", "google.generative-ai", "low", google)).sent).toEqual({
      google: { thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true } },
      other: { a: 1 },
    });
    const azure = { azure: { store: false } };
    expect((await sentTo("v3", "azure.responses", "low", azure)).sent).toEqual({
      azure: { reasoningEffort: "low", store: false },
    });
  });

  it.each([
    ["mistral.chat", "low"],
    ["xai.chat", "none"],
  ])("that %s does not have (%s) is a warning", async (provider, reasoning) => {
    const { sent, events } = await sentTo("v3", provider, reasoning);
    expect(sent).toBeUndefined();
    expect(events).toMatchObject([{ kind: "model_warning", message: expect.stringContaining("options.reasoning") }]);
  });

  it("goes to models of V4 as it is", async () => {
    const { bodies, models } = providers();
    await createAgent({ model: models.openai as AiSdkModel, retry: false, modelOptions: { reasoning: "low" } })
      .generate("Hi")
      .catch(() => undefined);
    expect(bodies[0]).toMatchObject({ reasoning: { effort: "low" } });
  });
});
