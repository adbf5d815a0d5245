// The files of examples/deploy as a platform runs them, with a server in the place of OpenAI's.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, type Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import { build } from "esbuild";
import { memoryStore } from "kumiko";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { usePrograms } from "../../programs.js";
import { describeWithPostgres, hookTimeout, type PostgresServer, startServer } from "../../stores/postgres/server.js";
import { post, promptOf, readUntil, said, textIn } from "./chat-client.js";
import functionUrlEvent from "./function-url-event.json" with { type: "json" };
import { OpenAiServer } from "./openai-server.js";

const root = join(import.meta.dirname, "../../..");
const deploy = join(root, "examples/deploy");
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");
const openai = new OpenAiServer();

beforeAll(async () => {
  // the provider reads them when it is imported
  process.env.OPENAI_BASE_URL = await openai.start();
  process.env.OPENAI_API_KEY = "test";
});
afterAll(() => openai.stop());

it("its package.json asks for the versions that are tested here", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const { kumiko, ...others } = { ...dependencies, ...devDependencies };
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(kumiko).toBe(`^${own.version}`);
  expect(own.devDependencies).toMatchObject(others);
});

it("its files are read in one screen each", () => {
  const files = ["agent.ts", "chat-app.ts", "docker/server.ts", "docker/Dockerfile", "docker/compose.yaml"];
  files.push("next/app/api/chat/route.ts", "workers/worker.ts", "workers/object-store.ts", "lambda/handler.ts");
  const lines = files.map((path) => [path, read(path).split("\n").length] as const);
  expect(lines.filter(([, count]) => count > 80)).toEqual([]);
});

it("compose gives the instances more time than they take, and starts what the Dockerfile builds", () => {
  const { services } = parse(read("docker/compose.yaml"));
  const { app } = services;
  expect(app.deploy.replicas).toBe(3);
  expect(Number.parseInt(app.stop_grace_period, 10) * 1_000).toBeGreaterThan(Number(app.environment.STOP_MS) + 5_000);
  expect(app.build).toEqual({ context: "..", dockerfile: "docker/Dockerfile" });
  expect(read("docker/Dockerfile")).toContain('CMD ["node", "dist/docker/server.js"]');
  expect(JSON.parse(read("tsconfig.json")).compilerOptions).toMatchObject({ rootDir: ".", outDir: "dist" });
});

it("Hono answers fetch, for the user who began the chat", async () => {
  const [{ createAssistant }, { chatApp }] = await Promise.all([
    import("../../../examples/deploy/agent.js"),
    import("../../../examples/deploy/chat-app.js"),
  ]);
  const store = memoryStore();
  const userOf = (request: Request): string => request.headers.get("x-user") ?? "ann";
  const app = chatApp({ agent: createAssistant(store), store, userOf });
  const server = createServer(getRequestListener(app.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;

  const answer = fetch(url, post(promptOf("c1", "Where is order 7?")));
  const call = await openai.called();
  expect(call.asked).toEqual([expect.stringContaining("questions about orders"), "Where is order 7?"]);
  call.end("On its way.");
  expect(textIn(await (await answer).text())).toBe("On its way.");
  const talk = ["user: Where is order 7?", "assistant: On its way."];
  expect(said(await (await fetch(`${url}/c1`)).json())).toEqual(talk);
  expect(textIn(await (await fetch(`${url}/c1/stream`)).text())).toBe("On its way.");
  const bob = { headers: { "x-user": "bob" } };
  expect(await (await fetch(`${url}/c1`, bob)).json()).toEqual([]);
  expect((await fetch(`${url}/c1/stream`, bob)).status).toBe(204);
  expect((await fetch(url, post("{}"))).status).toBe(400);
});

describeWithPostgres("with PostgreSQL", () => {
  const entry = join(deploy, "docker/server.ts");
  const programOf = usePrograms(entry);
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startServer();
    process.env.DATABASE_URL = postgres.url();
  }, hookTimeout);
  afterAll(() => postgres?.stop());

  describe("Docker's entry as three processes", () => {
    interface Instance {
      readonly url: string;
      readonly process: ChildProcess;
    }
    const started: ChildProcess[] = [];
    afterAll(() => {
      for (const child of started) child.kill("SIGKILL");
    });

    async function start(stopMs: number): Promise<Instance> {
      const env = { ...process.env, HOST: "127.0.0.1", PORT: "0", STOP_MS: String(stopMs) };
      const child = spawn(process.execPath, [programOf(entry)], { env, stdio: ["ignore", "pipe", "inherit"] });
      started.push(child);
      const [line] = await once(child.stdout, "data");
      const port = /port: (\d+)/.exec(String(line))?.[1];
      return { process: child, url: `http://127.0.0.1:${port}` };
    }

    const health = async ({ url }: Instance): Promise<number> => (await fetch(`${url}/health`)).status;
    const talkAt = async ({ url }: Instance, id: string) => said(await (await fetch(`${url}/chat/${id}`)).json());

    /** Asks, and waits until the beginning of the answer has arrived. */
    async function ask({ url }: Instance, id: string) {
      const response = fetch(`${url}/chat`, post(promptOf(id, "Where is it?")));
      const call = await openai.called();
      call.write("It is ");
      const reader = (await response).body?.getReader();
      if (reader === undefined) throw new Error("There is no body.");
      await readUntil(reader, "It is ");
      return { call, reader };
    }

    it("goes on with the answers of one that was killed, or had no more time; and lets answers end", async () => {
      const [first, hasty, last] = await Promise.all([start(20_000), start(100), start(20_000)]);
      expect(await Promise.all([first, hasty, last].map(health))).toEqual([200, 200, 200]);

      const killed = await ask(first, "c1");
      first.process.kill("SIGKILL");
      await expect(killed.reader.read()).rejects.toThrow();
      (await openai.called()).end("It is on its way.");
      const talk = ["user: Where is it?", "assistant: It is on its way."];
      await expect.poll(() => talkAt(last, "c1")).toEqual(talk);
      expect(textIn(await (await fetch(`${hasty.url}/chat/c1/stream`)).text())).toBe("It is on its way.");

      const late = await ask(hasty, "c2");
      hasty.process.kill("SIGTERM");
      expect(await once(hasty.process, "exit")).toEqual([0, null]);
      await late.call.left;
      (await openai.called()).end("It is on its way.");
      await expect.poll(() => talkAt(last, "c2")).toEqual(talk);

      const patient = await ask(last, "c3");
      last.process.kill("SIGTERM");
      await expect.poll(() => health(last)).toBe(503);
      patient.call.end("there.");
      await readUntil(patient.reader, "there.");
      expect(await once(last.process, "exit")).toEqual([0, null]);
    });
  });

  it("the route of Next.js answers POST, and has the chat for a page that is opened", async () => {
    const { POST, GET } = await import("../../../examples/deploy/next/app/api/chat/route.js");
    const at = "http://localhost/api/chat";
    const answer = POST(new Request(at, post(promptOf("n1", "Hello"))));
    (await openai.called()).end("Good evening.");
    expect(textIn(await (await answer).text())).toBe("Good evening.");
    expect(said(await (await GET(new Request(`${at}?id=n1`))).json())).toEqual([
      "user: Hello",
      "assistant: Good evening.",
    ]);
    expect((await POST(new Request(at, post("[]")))).status).toBe(400);
  });

  describe("Lambda", () => {
    type Handler = (event: object, stream: Writable) => Promise<void>;
    const folder = mkdtempSync(join(tmpdir(), "kumiko-lambda-"));
    let handler: Handler;
    beforeAll(async () => {
      Object.assign(globalThis, { awslambda: { streamifyResponse: (given: Handler) => given, HttpResponseStream } });
      // as SAM builds it
      expect(read("lambda/template.yaml")).not.toContain("Format:");
      await build({
        entryPoints: [join(deploy, "lambda/handler.ts")],
        outfile: join(folder, "handler.cjs"),
        bundle: true,
        platform: "node",
        format: "cjs",
        target: "node22",
        tsconfig: join(root, "tsconfig.json"),
        logLevel: "error",
      });
      ({ handler } = createRequire(import.meta.url)(join(folder, "handler.cjs")));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** What the runtime does: the head as JSON, eight zeros, and then the body. */
    const HttpResponseStream = {
      from(stream: Writable, head: object): Writable {
        stream.write(JSON.stringify(head));
        stream.write(new Uint8Array(8));
        return stream;
      },
    };

    async function invoke(event: object) {
      const stream = new PassThrough();
      const [, bytes] = await Promise.all([handler(event, stream), buffer(stream)]);
      const end = bytes.indexOf(Buffer.alloc(8));
      const head = JSON.parse(bytes.subarray(0, end).toString());
      return { ...head, body: bytes.subarray(end + 8).toString() };
    }

    it("streams the answer to the event of a function URL", async () => {
      const answer = invoke(functionUrlEvent);
      const call = await openai.called();
      expect(call.asked.at(-1)).toBe("Where is order 7?");
      call.end("On its way.");
      const { statusCode, headers, body } = await answer;
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        "content-type": expect.stringContaining("text/event-stream"),
        "x-vercel-ai-ui-message-stream": "v1",
      });
      expect(textIn(body)).toBe("On its way.");
    });

    it("answers what has no body, and what is encoded", async () => {
      const { requestContext, ...rest } = functionUrlEvent;
      const get = { ...requestContext, http: { ...requestContext.http, method: "GET" } };
      const none = { ...rest, rawPath: "/chat/unknown/stream", requestContext: get, body: undefined };
      expect(await invoke(none)).toMatchObject({ statusCode: 204, body: "" });
      const encoded = { ...functionUrlEvent, isBase64Encoded: true, body: Buffer.from("{}").toString("base64") };
      expect(await invoke(encoded)).toMatchObject({ statusCode: 400 });
    });
  });
});
