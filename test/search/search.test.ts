import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AgenticToolsNode, assistantMessage, functionToolCall, ToolCallError, toolResultsOf } from "kumiko";
import {
  braveSearch,
  duckDuckGoSearch,
  googleSearch,
  type SearchTool,
  type SearchToolOptions,
  tavilySearch,
} from "kumiko/search";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const apiKey = "secret+key/1";
const answerOf = (name: string) => readFileSync(join(import.meta.dirname, "answers", name), "utf8");

/** Answers every request with the same, and remembers it. */
function answering(body: string, init: ResponseInit = {}) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (url, options) => {
    requests.push(new Request(url, options));
    return new Response(body, init);
  };
  return { fetch, requests };
}

const search = (tool: SearchTool, query = "kumiko wood", signal?: AbortSignal) =>
  Promise.resolve(tool.execute?.({ query }, toolContext(signal === undefined ? {} : { signal })));

interface Service {
  readonly name: string;
  readonly open: (options: SearchToolOptions) => SearchTool;
  readonly answer: string;
  /** What it answers when it found nothing. */
  readonly empty: string;
  readonly found: readonly object[];
}

const kumiko = { title: "Kumiko & joinery", url: "https://example.com/kumiko" };
const services: readonly Service[] = [
  {
    name: "duckDuckGoSearch",
    open: duckDuckGoSearch,
    answer: answerOf("duck-duck-go.html.txt"),
    empty: '<div id="links"><div class="no-results">No results found for <b>x</b>.</div></div>',
    found: [
      { ...kumiko, url: "https://example.com/kumiko?a=1&b=2", snippet: "Kumiko is joined without nails — 組子." },
      { title: "Without a snippet", url: "https://example.org/", snippet: "" },
    ],
  },
  {
    name: "googleSearch",
    open: (options) => googleSearch({ apiKey, searchEngineId: "engine", ...options }),
    answer: answerOf("google.json"),
    empty: '{ "searchInformation": { "totalResults": "0" } }',
    found: [
      {
        title: "Kumiko - Wikipedia",
        url: "https://example.org/wiki/Kumiko",
        snippet: "Kumiko is a technique of assembling wooden pieces without nails.",
      },
      { title: "No snippet", url: "https://example.org/2", snippet: "" },
    ],
  },
  {
    name: "braveSearch",
    open: (options) => braveSearch({ apiKey, ...options }),
    answer: answerOf("brave.json"),
    empty: '{ "type": "search" }',
    found: [
      { ...kumiko, snippet: "Kumiko is joined without nails; it's old." },
      { title: "Second", url: "https://example.com/2", snippet: "" },
    ],
  },
  {
    name: "tavilySearch",
    open: (options) => tavilySearch({ apiKey, ...options }),
    answer: answerOf("tavily.json"),
    empty: '{ "results": [] }',
    found: [{ title: "Kumiko", url: "https://example.com/kumiko", snippet: "Joined without nails." }],
  },
];

describe.each(services)("$name", ({ name, open, answer, empty, found }) => {
  it("runs without a context, and with a partial one", async () => {
    const { fetch } = answering(answer);
    const execute = open({ fetch }).execute as (input: object, ctx?: object) => Promise<unknown>;
    for (const ctx of [undefined, {}, { signal: new AbortController().signal }])
      expect(await execute({ query: "kumiko wood" }, ctx)).toEqual(found);
  });

  it("gives titles, addresses and snippets", async () => {
    expect(await search(open({ fetch: answering(answer).fetch }))).toEqual(found);
  });

  it("gives as many results as it is asked for, at most", async () => {
    expect(await search(open({ fetch: answering(answer).fetch, maxResults: 1 }))).toEqual(found.slice(0, 1));
  });

  it("gives an empty list when there is nothing", async () => {
    expect(await search(open({ fetch: answering(empty).fetch }))).toEqual([]);
  });

  it("asks by https, with the words of the model", async () => {
    const { fetch, requests } = answering(answer);
    await search(open({ fetch }), "a&b 組子");
    const [request] = requests;
    const body = request?.method === "POST" ? await request.json() : undefined;
    const url = new URL(request?.url ?? "");
    expect(url.protocol).toBe("https:");
    expect(body?.query ?? url.searchParams.get("q")).toBe("a&b 組子");
  });

  it.each([429, 202, 403, 500])("rejects with the status %i, and says when to try again", async (status) => {
    const { fetch } = answering(`{"error":"Key ${apiKey} is over its limit."}`, {
      status,
      headers: { "retry-after": "30" },
    });
    const error = await search(open({ fetch })).catch((reason: unknown) => reason);
    expect(ToolCallError.is(error, "search") && error.status).toBe(status);
    expect(String(error)).toContain("try again after 30");
    if (name !== "duckDuckGoSearch") expectNoKey(error);
  });

  it("says that an answer cannot be read, and how it begins", async () => {
    const changed = answering("<html><body><div class='other'>Results moved</div></body></html>");
    const error = await search(open({ fetch: changed.fetch })).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "TOOL_FAILED", message: expect.stringContaining("cannot be read") });
    expect(String(error)).toContain("<html><body>");
  });

  it("says so when the answer is JSON, but has other fields than it should", async () => {
    if (name === "duckDuckGoSearch") return;
    const pages = JSON.stringify([{ name: "Kumiko", href: "https://example.com" }]);
    for (const changed of [
      `{ "pages": ${pages} }`,
      `{ "type": "search", "kind": "customsearch#search", "items": ${pages}, "results": ${pages}, "web": { "results": ${pages} } }`,
    ]) {
      const found = search(open({ fetch: answering(changed).fetch }));
      await expect(found).rejects.toThrow("cannot be read");
    }
  });

  it("never shows its key when the service cannot be reached", async () => {
    const fetch: typeof globalThis.fetch = async (url) => {
      throw new TypeError("fetch failed", { cause: new Error(`no route for ${url} with ${apiKey}`) });
    };
    const error = await search(open({ fetch })).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "TOOL_FAILED", message: expect.stringContaining("no route for") });
    if (name !== "duckDuckGoSearch") expectNoKey(error);
  });

  it("stops with its call", async () => {
    const controller = new AbortController();
    const fetch: typeof globalThis.fetch = (_, options) =>
      new Promise((_resolve, reject) => {
        options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
      });
    const pending = search(open({ fetch }), "x", controller.signal);
    controller.abort(new Error("enough"));
    await expect(pending).rejects.toThrow("enough");
    await expect(search(open({ fetch, timeoutMs: 5 }))).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("refuses options that it does not have, or that make no sense", () => {
    expect(() => open(JSON.parse('{ "count": 3 }'))).toThrow(`Unknown option "count" of ${name}`);
    for (const maxResults of [0, 1.5, 21, Number.NaN]) expect(() => open({ maxResults })).toThrow("maxResults");
    expect(() => open({ timeoutMs: 0 })).toThrow("timeoutMs");
  });

  it("is a tool of a tools node, under the name that it is given", async () => {
    const tool = open({ fetch: answering(answer).fetch, id: "look_up", maxResults: 1 });
    const call = functionToolCall({ callId: "1", name: "look_up", arguments: '{"query":"kumiko"}' });
    const [message] = await new AgenticToolsNode([tool]).invoke(assistantMessage([call]));
    const [result] = message === undefined ? [] : toolResultsOf(message);
    expect(JSON.parse(result?.result ?? "")).toEqual(found.slice(0, 1));
  });
});

describe("keys", () => {
  it.each([
    ["googleSearch", () => googleSearch(JSON.parse('{ "searchEngineId": "e" }'))],
    ["googleSearch", () => googleSearch(JSON.parse('{ "apiKey": "k" }'))],
    ["braveSearch", () => braveSearch({ apiKey: " " })],
    ["tavilySearch", () => tavilySearch(JSON.parse("{}"))],
  ])("are needed by %s", (name, open) => {
    expect(open).toThrow(`${name} needs the option`);
  });
});

it("duckDuckGoSearch says so when it is asked whether it is a person", async () => {
  const { fetch } = answering('<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>');
  await expect(search(duckDuckGoSearch({ fetch }))).rejects.toThrow("it asks to solve a captcha");
});

/** Neither in the message, nor in anything that a log would show. */
function expectNoKey(error: unknown): void {
  for (let place = error; place !== undefined; place = place instanceof Error ? place.cause : undefined) {
    const shown = `${String(place)} ${place instanceof Error ? place.stack : ""} ${JSON.stringify(place)}`;
    expect(shown).not.toContain(apiKey);
    expect(shown).not.toContain(encodeURIComponent(apiKey));
  }
}
