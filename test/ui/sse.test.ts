import { KumikoError, StreamReader } from "kumiko";
import type { AgentEvent } from "kumiko/agents";
import { sse } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { dataOf, numbered, streamOf, weatherRun } from "./hand-made.js";

const events = numbered(weatherRun);

const eventsIn = (chunk: Uint8Array | undefined): number => new TextDecoder().decode(chunk).split("\n\n").length - 1;

describe("sse", () => {
  it("sends the events as they are", async () => {
    expect(await dataOf(await sse(streamOf(events)))).toEqual(JSON.parse(JSON.stringify(events)));
  });

  it("gives each an id of its run and its number", async () => {
    const text = await (await sse(streamOf(numbered(weatherRun.slice(0, 3), "r")))).text();
    expect([...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(["r:0", "r:1", "r:2"]);
  });

  it("keeps the id of its own run for events of inner agents", async () => {
    const inner = numbered([{ type: "start" }, { type: "step_start", runId: "inner", agentPath: ["agent", "b"] }]);
    expect(await (await sse(streamOf(inner))).text()).toContain("id: run-1:1\n");
  });

  it("says what it is in its headers, which may be added to and replaced", async () => {
    const { headers } = await sse(streamOf(events), { headers: { "x-own": "1", "cache-control": "no-store" } });
    expect(Object.fromEntries(headers)).toEqual({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-own": "1",
    });
    expect((await sse(streamOf(events), { headers: new Headers([["x-own", "2"]]) })).headers.get("x-own")).toBe("2");
  });

  it("takes a web stream and a reader", async () => {
    const reader = StreamReader.from(events);
    expect(await dataOf(await sse(reader))).toHaveLength(events.length);
    expect(await dataOf(await sse(StreamReader.from(events).toReadableStream()))).toHaveLength(events.length);
  });

  it("reads one event before the client does, and then as many as the client takes", async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<AgentEvent, void> {
      for (const event of events) {
        read += 1;
        yield event;
      }
    }
    const reader = (await sse(counted())).body?.getReader();
    await Promise.resolve();
    expect(read).toBe(1);
    const taken = eventsIn((await reader?.read())?.value) + eventsIn((await reader?.read())?.value);
    expect(read).toBeLessThanOrEqual(taken + 1);
    await reader?.cancel();
  });

  it("cancels the run when the client leaves, with its reason", async () => {
    const left: unknown[] = [];
    const source = new ReadableStream<AgentEvent>({
      start: (controller) => controller.enqueue(events[0] as AgentEvent),
      cancel: (reason) => void left.push(reason),
    });
    const reader = (await sse(source)).body?.getReader();
    await reader?.read();
    await reader?.cancel(new Error("closed the page"));
    expect(left).toMatchObject([{ message: "closed the page" }]);
  });

  it("ends after an error that the events told, and tells one that they did not", async () => {
    const failure = new KumikoError("MODEL_FAILED", "no answer");
    const told = numbered([{ type: "start" }, { type: "error", error: { name: "Error", message: "told" } }]);
    expect((await dataOf(await sse(streamOf(told, failure)))).map(({ error }) => error)).toEqual([
      undefined,
      { name: "Error", message: "An error occurred." },
    ]);
    expect((await dataOf(await sse(streamOf(numbered([{ type: "start" }]), failure)))).at(-1)).toMatchObject({
      seq: 1,
      runId: "run-1",
      type: "error",
      error: { code: "MODEL_FAILED", name: "KumikoError", message: "An error occurred." },
    });
  });

  it.each([
    [Promise.resolve(events), {}, "sse takes a stream of events, such as agent.stream(prompt)"],
    [undefined, {}, "sse takes a stream of events"],
    [[], { header: {} }, "sse takes a stream of events"],
    [
      streamOf([]),
      { header: {} },
      'Unknown option "header" of sse. Did you mean "headers"? Options: headers, onError, heartbeatMs.',
    ],
    [streamOf([]), null, "The options of sse must be an object (got null)."],
    [streamOf([]), { headers: { "bad header": "1" } }, "headers of sse must be valid response headers"],
  ])("refuses %s with %j", async (stream, options, message) => {
    await expect(sse(stream as never, options as never)).rejects.toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(message) }),
    );
  });
});
