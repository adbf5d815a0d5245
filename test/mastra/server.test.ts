import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { Hono } from "hono";
import { assistantMessage, functionToolCall, type RequestContext as RuntimeContext } from "kumiko";
import {
  Agent,
  createTool,
  expressMiddleware,
  honoMiddleware,
  Mastra,
  type MiddlewareContext,
  nextHandler,
} from "kumiko/mastra";
import { scriptedModel } from "kumiko/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { asking, failing, workflow } from "./workflows.js";

type Next = () => Promise<void>;

const silent = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });

const country = async (c: MiddlewareContext, next: Next): Promise<void> => {
  c.get<RuntimeContext>("runtimeContext").set("country", c.req.header("CF-IPCountry") ?? "nowhere");
  await next();
};

function mastraWith(middleware: unknown = [country]): Mastra {
  const where = createTool({
    id: "where",
    description: "",
    inputSchema: z.object({}),
    execute: async ({ runtimeContext }) => `in ${runtimeContext.get("country")}`,
  });
  const call = () => assistantMessage(functionToolCall({ callId: "1", name: "where", arguments: "{}" }));
  const model = scriptedModel(call, "Here.", call, "Here.", call, "Here.");
  const waits = workflow("waits").then(asking("ask")).commit();
  const fails = workflow("fails").then(failing("bad", "it broke")).commit();
  return new Mastra({
    agents: { guide: new Agent({ name: "guide", description: "Knows the way.", model, tools: { where } }) },
    workflows: { waits, fails },
    logger: false,
    server: { middleware: middleware as never },
  }) as never;
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("the routes of a Mastra", () => {
  it("call an agent with what the middleware has set", async () => {
    const request = post("/api/agents/guide/generate", { messages: "Where am I?" }, { "CF-IPCountry": "JP" });
    const response = await mastraWith().fetch(request);
    const body = await response.json();
    expect(response.status).toBe(200);
    expect(body).toMatchObject({ text: "Here.", finishReason: "stop" });
    expect(JSON.stringify(body.messages)).toContain("in JP");
  });

  it("stream an agent as server-sent events", async () => {
    const response = await mastraWith().fetch(
      post("/api/agents/guide/stream", { messages: [{ role: "user", content: "Hi" }] }),
    );
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const lines = (await response.text()).split("\n\n").filter((line) => line !== "");
    const events = lines.slice(0, -1).map((line) => JSON.parse(line.slice("data: ".length)).type);
    expect(events[0]).toBe("start");
    expect(events.at(-1)).toBe("finish");
    expect(lines.at(-1)).toBe("data: [DONE]");
  });

  it("start a workflow, and resume it by its run id", async () => {
    const mastra = mastraWith();
    const started = await (await mastra.fetch(post("/api/workflows/waits/start", { inputData: 7 }))).json();
    expect(started).toMatchObject({ status: "suspended", suspended: [["ask"]], suspendPayload: { ask: { ask: 7 } } });
    const body = { runId: started.runId, resumeData: { ok: true } };
    const resumed = await (await mastra.fetch(post("/api/workflows/waits/resume", body))).json();
    expect(resumed).toMatchObject({ status: "success", result: { got: { ok: true } } });
  });

  it("list agents and workflows", async () => {
    const mastra = mastraWith();
    const get = async (path: string) => (await mastra.fetch(new Request(`http://localhost${path}`))).json();
    expect(await get("/api/agents")).toMatchObject({ guide: { name: "guide", description: "Knows the way." } });
    expect(await get("/api/workflows")).toMatchObject({ waits: { id: "waits" }, fails: { id: "fails" } });
  });

  it("keep why a workflow failed on the server", async () => {
    const logger = silent();
    const fails = workflow("fails").then(failing("bad", "it broke")).commit();
    const mastra = new Mastra({ workflows: { fails }, logger });
    const text = await (await mastra.fetch(post("/api/workflows/fails/start", { inputData: 1 }))).text();
    const error = { name: "Error", message: "An error occurred." };
    expect(JSON.parse(text)).toMatchObject({ status: "failed", error, steps: { bad: { status: "failed", error } } });
    expect(text).not.toMatch(/it broke| {4}at /);
    expect(String(logger.error.mock.calls[0]?.[1])).toContain("it broke");
  });

  it("keep why an agent or its tools failed on the server", async () => {
    const logger = silent();
    const secret = () => {
      throw new Error("key sk-123");
    };
    const where = createTool({ id: "where", description: "", inputSchema: z.object({}), execute: secret });
    const call = () => assistantMessage(functionToolCall({ callId: "1", name: "where", arguments: "{}" }));
    const model = scriptedModel(call, "Here.", call, "Here.", secret, secret);
    const agent = new Agent({ name: "guide", model, tools: { where }, maxRetries: 0 });
    const mastra = new Mastra({ agents: { agent }, logger });
    // each is read to its end, before the next one asks the same model
    const ask = async (path: string) => {
      const answer = await mastra.fetch(post(`/api/agents/agent/${path}`, { messages: "Hi" }));
      return { status: answer.status, text: await answer.text() };
    };
    const answers = [await ask("generate"), await ask("stream"), await ask("generate"), await ask("stream")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 500, 200]);
    const texts = answers.map(({ text }) => text);
    for (const text of texts) expect(text).not.toMatch(/sk-123| {4}at /);
    expect(texts[1]).toContain('"type":"tool-error"');
    expect(JSON.parse(texts[2] ?? "")).toEqual({ error: "An error occurred.", code: "NODE_FAILED" });
    expect(texts[3]).toContain('"message":"An error occurred."');
    expect(String(logger.error.mock.calls[0]?.[1])).toContain("sk-123");
  });

  it.each([
    ["what is not there", post("/api/nothing", {}), 404],
    ["another method", new Request("http://localhost/api/agents/guide/generate"), 404],
    ["an unknown agent", post("/api/agents/nobody/generate", { messages: "Hi" }), 404],
    ["an unknown workflow", post("/api/workflows/nothing/start", {}), 404],
    ["no JSON", post("/api/agents/guide/generate", "{no"), 400],
    ["JSON that is no object", post("/api/agents/guide/generate", "[1]"), 400],
    ["no messages", post("/api/agents/guide/generate", {}), 400],
    ["a message without content", post("/api/agents/guide/generate", { messages: [{ role: "user" }] }), 400],
    ["a number as a message", post("/api/agents/guide/stream", { messages: [5] }), 400],
    ["an unknown role", post("/api/agents/guide/stream", { messages: [{ role: "nobody", content: "x" }] }), 400],
    ["an empty message", post("/api/agents/guide/generate", { messages: "" }), 400],
    ["a number as a thread", post("/api/agents/guide/generate", { messages: "Hi", threadId: 1 }), 400],
    ["steps that are no number", post("/api/agents/guide/generate", { messages: "Hi", maxSteps: "2" }), 400],
    ["no step at all", post("/api/agents/guide/stream", { messages: "Hi", maxSteps: 0 }), 400],
    ["a state that is no object", post("/api/workflows/waits/start", { initialState: 1 }), 400],
    ["an unknown field", post("/api/workflows/waits/start", { input: 1 }), 400],
    ["both of a pair", post("/api/workflows/waits/start", { runtimeContext: {}, requestContext: {} }), 400],
    ["a resume without a run", post("/api/workflows/waits/resume", { resumeData: 1 }), 400],
    ["a resume of a run that does not wait", post("/api/workflows/waits/resume", { runId: "none" }), 404],
  ])("answer %s with a status and a sentence", async (_what, request, status) => {
    const response = await mastraWith().fetch(request);
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(JSON.parse(text).error).toMatch(/\.$/);
    expect(text).not.toContain("    at ");
  });
});

describe("the middleware of a Mastra", () => {
  it("runs around the answer, for its path only, with one context per request", async () => {
    const order: unknown[] = [];
    const around = async (c: MiddlewareContext, next: Next): Promise<void> => {
      c.set("id", "1");
      order.push("before");
      await next();
      order.push("after");
    };
    const workflows = {
      path: "/api/workflows/:name/*",
      handler: async (c: MiddlewareContext, next: Next) => {
        order.push(c.get("id"), c.req.param("name"), c.get("runtimeContext") === c.get("requestContext"));
        await next();
      },
    };
    const mastra = mastraWith([around, workflows]);
    await mastra.fetch(post("/api/workflows/waits/start?x=1", { inputData: 1 }));
    await mastra.fetch(new Request("http://localhost/api/agents"));
    expect(order).toEqual(["before", "1", "waits", true, "after", "before", "after"]);
  });

  it("reads the request, and leaves its body for the route", async () => {
    const seen: unknown[] = [];
    const reads = async ({ req }: MiddlewareContext, next: Next): Promise<void> => {
      seen.push(await req.json(), await req.text(), req.query("x"), req.header("content-type"), req.path, req.method);
      await next();
    };
    const response = await mastraWith([reads]).fetch(post("/api/workflows/waits/start?x=1", { inputData: 1 }));
    expect(await response.json()).toMatchObject({ status: "suspended" });
    const path = "/api/workflows/waits/start";
    expect(seen).toEqual([{ inputData: 1 }, '{"inputData":1}', "1", "application/json", path, "POST"]);
  });

  it("may answer itself", async () => {
    const guard = (c: MiddlewareContext) => c.json({ error: "Who are you?" }, 401);
    const response = await mastraWith(guard).fetch(new Request("http://localhost/api/agents"));
    expect([response.status, await response.json()]).toEqual([401, { error: "Who are you?" }]);
  });

  it("that neither answers nor calls next() is a 500 that says so", async () => {
    const response = await mastraWith([() => undefined]).fetch(new Request("http://localhost/api/agents"));
    expect(response.status).toBe(500);
    expect((await response.json()).error).toContain("next()");
  });

  it("that throws is a 500 with a neutral text", async () => {
    const broken = () => {
      throw new Error("no database");
    };
    const logger = silent();
    const mastra = new Mastra({ logger, server: { middleware: [broken] } });
    const response = await mastra.fetch(new Request("http://localhost/api/agents"));
    expect([response.status, await response.json()]).toEqual([500, { error: "An error occurred." }]);
    expect(String(logger.error.mock.calls[0]?.[1])).toContain("no database");
  });

  it("may set headers of the response, and replace it", async () => {
    const cors = async (c: MiddlewareContext, next: Next): Promise<void> => {
      c.header("Access-Control-Allow-Origin", "*");
      expect(c.res.status).toBe(404);
      await next();
      c.header("Vary", "Origin", { append: true });
      c.header("Vary", "Cookie", { append: true });
    };
    const timed = async (c: MiddlewareContext, next: Next): Promise<void> => {
      await next();
      c.res.headers.set("Server-Timing", "total");
      c.header("X-Gone", "1");
      c.header("X-Gone");
    };
    const mastra = mastraWith([cors, timed]);
    const read = ({ headers }: Response) =>
      ["access-control-allow-origin", "vary", "server-timing", "x-gone"].map((name) => headers.get(name));
    const listed = await mastra.fetch(new Request("http://localhost/api/agents"));
    expect([listed.status, ...read(listed)]).toEqual([200, "*", "Origin, Cookie", "total", null]);
    const failed = await mastra.fetch(post("/api/agents/nobody/generate", { messages: "Hi" }));
    expect([failed.status, ...read(failed)]).toEqual([404, "*", null, null, null]);
    const app = new Hono().use(honoMiddleware(mastra)).get("/mine", (c) => c.text("mine"));
    expect(read(await app.request("/mine"))).toEqual(["*", "Origin, Cookie", "total", null]);
    const express_ = express()
      .use(expressMiddleware(mastra))
      .get("/mine", (_request, response) => void response.send("mine"));
    expect((await fetch(`${await listen(express_)}/mine`)).headers.get("access-control-allow-origin")).toBe("*");
    const other = async (c: MiddlewareContext, next: Next): Promise<void> => {
      await next();
      c.res = c.text("other", 202);
    };
    const replaced = await mastraWith([other]).fetch(new Request("http://localhost/api/agents"));
    expect([replaced.status, await replaced.text()]).toEqual([202, "other"]);
  });

  it("leaves errors to onError, where there is one", async () => {
    const onError = (error: Error, c: MiddlewareContext) => c.json({ told: error.message, path: c.req.path }, 418);
    const mastra = new Mastra({ logger: false, server: { onError } });
    const response = await mastra.fetch(post("/api/agents/nobody/generate", { messages: "Hi" }));
    expect([response.status, (await response.json()).path]).toEqual([418, "/api/agents/nobody/generate"]);
    for (const broken of [() => undefined, () => Promise.reject(new Error("secret"))]) {
      const logger = silent();
      const neutral = new Mastra({ logger, server: { onError: broken as never } });
      const answer = await neutral.fetch(post("/api/agents/nobody/generate", { messages: "Hi" }));
      expect([answer.status, (await answer.json()).error]).toEqual([404, "An error occurred."]);
      expect(logger.error).toHaveBeenCalledOnce();
    }
    expect(() => new Mastra({ server: { onError: 1 as never } })).toThrow(/onError/);
    expect(() => new Mastra({ server: { onEror: onError } as never })).toThrow(/"onError"/);
  });

  it("must be functions, or have a path and a handler", () => {
    expect(() => mastraWith([{ path: "/x" }])).toThrow(/server\.middleware\[0\]/);
  });
});

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(app: ReturnType<typeof express>): Promise<string> {
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the adapters", () => {
  it("serve in Hono, and give its handlers the context", async () => {
    const app = new Hono<{ Variables: { runtimeContext: RuntimeContext } }>();
    app.use(honoMiddleware(mastraWith()));
    app.get("/mine", (c) => c.text(String(c.get("runtimeContext").get("country"))));
    const headers = { "CF-IPCountry": "FR" };
    const answer = await app.request(post("/api/agents/guide/generate", { messages: "Hi" }, headers));
    expect(JSON.stringify(await answer.json())).toContain("in FR");
    expect(await (await app.request("/mine", { headers })).text()).toBe("FR");
    expect((await app.request("/elsewhere")).status).toBe(404);
  });

  it.each([
    ["alone", false],
    ["behind a parser of bodies", true],
  ])("serve in Express, %s, and give its handlers the context", async (_where, parses) => {
    const app = express();
    if (parses) app.use(express.json());
    app.use(expressMiddleware(mastraWith()));
    app.post("/mine", express.json(), (request, response) => {
      const { runtimeContext } = request as { runtimeContext?: RuntimeContext };
      response.json({ country: runtimeContext?.get("country"), body: request.body });
    });
    const url = await listen(app);
    const call = (path: string, body: unknown) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "CF-IPCountry": "IT" },
        body: JSON.stringify(body),
      });
    expect(await (await call("/api/agents/guide/generate", { messages: "Hi" })).text()).toContain("in IT");
    expect(await (await call("/api/agents/guide/stream", { messages: "Hi" })).text()).toContain("[DONE]");
    expect(await (await call("/mine", { a: 1 })).json()).toEqual({ country: "IT", body: { a: 1 } });
    expect((await call("/elsewhere", {})).status).toBe(404);
  });

  it("serve as route handlers in the way of Next.js", async () => {
    const mastra = mastraWith();
    const { POST } = nextHandler(mastra);
    const request = post("/api/agents/guide/generate", { messages: "Hi" }, { "CF-IPCountry": "PE" });
    expect(await (await POST(request)).text()).toContain("in PE");
    const handler = nextHandler(mastra, (_request, { requestContext }) => Response.json(requestContext.get("country")));
    const own = new Request("http://localhost/mine", { headers: { "CF-IPCountry": "PE" } });
    expect(await (await handler(own)).json()).toBe("PE");
    expect((await nextHandler(mastra).GET(own)).status).toBe(404);
  });

  it("answer for the middleware when it fails, or gives no answer", async () => {
    const mastra = mastraWith([() => undefined]);
    const app = new Hono().use(honoMiddleware(mastra)).get("/mine", (c) => c.text("never"));
    expect((await app.request("/mine")).status).toBe(500);
    const url = await listen(express().use(expressMiddleware(mastra)));
    expect((await fetch(`${url}/mine`)).status).toBe(500);
    expect((await nextHandler(mastra).GET(new Request("http://localhost/mine"))).status).toBe(500);
  });

  it("take a Mastra and nothing else", () => {
    for (const adapt of [honoMiddleware, expressMiddleware, nextHandler]) {
      expect(() => adapt({} as never)).toThrow(/takes a Mastra/);
    }
  });
});
