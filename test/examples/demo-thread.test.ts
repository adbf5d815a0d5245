import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseModel } from "../../examples/demo/choose-model.js";
import { localModel } from "../../examples/demo/local-model.js";
import { beginThread, finishThread } from "../../examples/demo/one-thread.js";
import { folderWith, project } from "./demo-folder.js";
import { demo } from "./run-demo-process.js";

describe("the conversation of npm run demo", { timeout: 120_000 }, () => {
  it("goes over two processes, in which nothing runs twice", async () => {
    const { code, stdout, stderr } = await demo([await project(), "--trace"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Model {5}local rules in place of a language model: neither KUMIKO_BASE_URL nor/);
    expect(stdout.match(/^Model /gm)).toHaveLength(1);
    expect(stdout).toMatch(/→ largest_packages .*\n {2}→ list_files/);
    expect(stdout).toContain("● 5 packages are installed");

    const [, first] = /save_report waits for an answer, and process (\d+) ends here/.exec(stdout) ?? [];
    const [, second] = /Process (\d+) knows all this from the store alone/.exec(stdout) ?? [];
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
    expect(stdout).toContain("May save_report run? yes (there is no terminal to ask at)");
    expect(stdout).toMatch(/● The report is there\. Saved as .*this-folder\.md\./);

    expect(stdout).toMatch(/✓ surveyor \d+ ms/);
    expect(stdout).toContain('= {"files":6,"lines":40,');
    expect(stdout).toMatch(/"largest":"package\.json"\}/);

    const [header, ...rows] = /What ran, by process\n([\s\S]*?)\n\n/.exec(stdout)?.[1]?.split("\n") ?? [];
    expect(header?.trim().split(/ {2,}/)).toEqual([`process ${first}`, `process ${second}`]);
    const counts = Object.fromEntries(
      rows.map((row) => row.trim().split(/ {2,}/)).map(([name, ...rest]) => [name, rest]),
    );
    expect(counts).toMatchObject({ largest_packages: ["1", "-"], save_report: ["-", "1"], surveyor: ["-", "1"] });
    expect(rows.at(-1)).toBe("  Nothing ran twice.");
    expect(stdout).toMatch(/Usage, by model\n {2}local\/rules {2}[\d,]+ words in, [\d,]+ out\n/);
    expect(stdout).toMatch(/\nTrace\n✓ guide agent [\s\S]*⏸ save_report tool[\s\S]*✓ surveyor agent/);
  });

  it("fits on a page without --trace", async () => {
    let shown = "";
    const place = await folderWith({});
    const model = localModel();
    const options = {
      ...{
        model,
        place,
        folder: await project(),
        question: "Which dependencies are largest, and what does the changelog say?",
      },
      write: (text: string) => {
        shown += text;
      },
      confirm: async () => true,
    };
    await beginThread(options);
    await finishThread(options);
    const lines = shown.trimEnd().split("\n");
    // one line names the model before these, and npm run writes four
    expect(lines.length).toBeLessThanOrEqual(55);
    expect(lines.at(-1)).toMatch(/^More .*npm run demo -- --trace/);
    expect(shown).toMatch(/ {2}\d+\. .*\n {2}… \d+ more lines\n/);
    expect(shown).toMatch(/one run of each call: \d+ calls of the model, \d+ of tools\. Nothing ran twice\./);
    expect(shown).not.toMatch(/│|Trace|measured|What ran/);
  });

  it("takes the model of a server, and sends its spans", async () => {
    const model = await serve(answerAsModel);
    const spans: { name: string }[] = [];
    const collector = await serve(async (request, response) => {
      spans.push(...spansIn(await bodyOf(request)));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    const args = [await project(), "--trace", "--otlp", collector];
    const { code, stdout, stderr } = await demo(args, { KUMIKO_BASE_URL: `${model}/v1` });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain(`Model     tiny: KUMIKO_BASE_URL is ${model}/v1\n`);
    expect(stdout).toContain("● Two tools have told me.");
    expect(stdout).toContain("● It is saved.");
    expect(stdout).toContain('= {"files":11,"lines":40,"largest":"package.json"}');
    expect(stdout).toContain("Nothing ran twice.");
    expect(stdout).toMatch(/ {2}local(?:\.chat)?\/tiny {2}70 tokens in, 35 out/);
    expect(stdout.match(/^OTLP {6}\d+ spans sent to http.*\/v1\/traces$/gm)).toHaveLength(2);
    expect(new Set(spans.map(({ name }) => name))).toEqual(
      new Set([
        ...["invoke_agent guide", "invoke_agent surveyor", "chat tiny"],
        ...["count_lines", "list_files", "save_report", "surveyor"].map((name) => `execute_tool ${name}`),
      ]),
    );
  });

  it("says why a server or a collector cannot be reached", async () => {
    const gone = "http://127.0.0.1:9";
    const [server, collector, url] = await Promise.all([
      demo([await project(), "Which scripts are there?"], { KUMIKO_BASE_URL: `${gone}/v1` }),
      demo([await project(), "Which scripts are there?", "--otlp", gone]),
      demo(["--otlp", "nowhere"]),
    ]);
    expect(server.code).toBe(1);
    expect(server.stderr).toMatch(
      /^KUMIKO_BASE_URL is http:\/\/127\.0\.0\.1:9\/v1, but .*\/v1\/models cannot be read: /,
    );
    expect(collector.code).toBe(0);
    expect(collector.stdout).toContain("package.json has 2 scripts");
    expect(collector.stdout).toMatch(/^OTLP {6}not sent to http:\/\/127\.0\.0\.1:9\/v1\/traces: /m);
    expect(url.code).toBe(2);
    expect(url.stderr).toContain('--otlp needs a URL, and "nowhere" is none.');
  });
});

describe("the model of the demo", () => {
  it.each([
    [{}, "local rules in place of a language model", /neither KUMIKO_BASE_URL nor/],
    [{ OPENAI_API_KEY: "x" }, "gpt-5-mini", /OPENAI_API_KEY is set/],
    [{ ANTHROPIC_API_KEY: "x", XAI_API_KEY: "y" }, "claude-haiku-4-5", /ANTHROPIC_API_KEY is set/],
    [{ XAI_API_KEY: "y", KUMIKO_MODEL: "grok" }, "grok", /XAI_API_KEY is set/],
    [{ OPENAI_API_KEY: "x", KUMIKO_BASE_URL: "http://here/v1", KUMIKO_MODEL: "m" }, "m", /KUMIKO_BASE_URL is http/],
    [{ OPENAI_API_KEY: "" }, "local rules in place of a language model", /neither/],
  ])("of %j is %s", async (env, name, why) => {
    expect(await chooseModel(env as Record<string, string>)).toMatchObject({ name, why: expect.stringMatching(why) });
  });
});

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The URL of a server that ends with the test. */
async function serve(handle: Handle): Promise<string> {
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

function spansIn(body: string): { name: string }[] {
  const { resourceSpans } = JSON.parse(body) as {
    readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: { name: string }[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A server with the API of OpenAI, whose model knows the prompts of the demo. */
async function answerAsModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/v1/models") {
    response.writeHead(200, { "content-type": "application/json" }).end('{"data":[{"id":"tiny"}]}');
    return;
  }
  const said = decide(JSON.parse(await bodyOf(request)) as ChatRequest);
  const delta =
    typeof said === "string"
      ? { content: said }
      : {
          tool_calls: said.map(([name, input], index) => ({
            ...{ index, id: `${name}_${index}`, type: "function" },
            function: { name, arguments: JSON.stringify(input) },
          })),
        };
  const finish_reason = typeof said === "string" ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const chunks = [{ choices: [{ index: 0, delta }] }, { choices: [{ index: 0, delta: {}, finish_reason }], usage }];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunks)
    response.write(`data: ${JSON.stringify({ id: "1", created: 1, model: "tiny", ...chunk })}\n\n`);
  response.end("data: [DONE]\n\n");
}

type Call = readonly [name: string, input: object];

function decide({ messages, tools = [] }: ChatRequest): string | readonly Call[] {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const question = JSON.stringify(messages[start]?.content);
  const isFirst = start === messages.length - 1;
  if (/Save a report/.test(question)) return isFirst ? [["save_report", { title: "T", text: "R" }]] : "It is saved.";
  if (!/surveyor/.test(question)) {
    if (tools.every(({ function: { name } }) => name !== "save_report")) return "11 files, 40 lines, package.json";
    return isFirst
      ? [
          ["list_files", {}],
          ["count_lines", {}],
        ]
      : "Two tools have told me.";
  }
  if (isFirst) return [["surveyor", { prompt: "How large is it?" }]];
  return [["final_answer", { files: 11, lines: 40, largest: "package.json" }]];
}
