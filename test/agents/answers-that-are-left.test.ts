import { type AgenticMessage, type AgenticModel, assistantMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import { describe, expect, it } from "vitest";

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A model that heeds no signal: it goes on after its first chunk when the gate is opened. */
function stubbornModel() {
  const more = gate();
  const calls = { count: 0 };
  const model: AgenticModel = {
    component: "model",
    generate: async () => assistantMessage("whole"),
    async *stream() {
      calls.count += 1;
      yield assistantMessage("first");
      await more.opened;
      yield assistantMessage("second");
    },
  };
  return { model, calls, goOn: more.open };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("an answer that an agent reads to its end", () => {
  it("fails with the reason when the run is stopped, though the model goes on", async () => {
    const { model, calls, goOn } = stubbornModel();
    const controller = new AbortController();
    const stream = createAgent({ model }).stream("go", { signal: controller.signal });
    const texts: string[] = [];
    const first = gate();
    const read = (async () => {
      for await (const event of stream) {
        if (event.type !== "text_delta") continue;
        texts.push(event.delta);
        first.open();
      }
    })();
    await first.opened;
    await settled();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(stream.result).rejects.toBe(reason);
    await expect(read).rejects.toBe(reason);
    goOn();
    await settled();
    expect(texts).toEqual(["first"]);
    expect(calls.count).toBe(1);
  });

  it("fails with the reason when the run was stopped between two reads", async () => {
    const { model } = stubbornModel();
    const controller = new AbortController();
    const stream = createAgent({ model }).stream("go", { signal: controller.signal });
    const reason = new Error("enough");
    const read = (async () => {
      for await (const event of stream) if (event.type === "text_delta") controller.abort(reason);
    })();
    await expect(stream.result).rejects.toBe(reason);
    await expect(read).rejects.toBe(reason);
  });

  it("leaves the model when its reader leaves", async () => {
    const left = gate();
    const model: AgenticModel = {
      component: "model",
      generate: async () => assistantMessage("whole"),
      async *stream(): AsyncGenerator<AgenticMessage> {
        try {
          for (;;) yield assistantMessage("more");
        } finally {
          left.open();
        }
      },
    };
    const stream = createAgent({ model }).stream("go");
    for await (const event of stream) if (event.type === "text_delta") break;
    await left.opened;
    await expect(stream.result).rejects.toMatchObject({ name: "AbortError" });
  });
});
