import { type AgenticMessage, type AgenticModel, assistantMessage, lambda, StreamReader } from "kumiko";
import { retryModel } from "kumiko/models";
import { describe, expect, it } from "vitest";
import { readAll } from "../../src/models/passing-source.js";

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A model that heeds no signal: it goes on after its first chunk when it is told to. */
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

/** Reads the attempts of a model in a node, whose run is aborted by `abort`. */
function readInNode(model: AgenticModel, take: (chunk: AgenticMessage) => Promise<void> | undefined) {
  const controller = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const node = lambda({
    invoke: (_: string, ctx) => {
      const source = StreamReader.from(retryModel(model).stream([], ctx as never)).takeSource();
      ended = readAll(source, take).then(
        () => "read",
        (error: unknown) => error,
      );
      return ended.then(String);
    },
  });
  const run = node.invoke("go", { signal: controller.signal });
  return { controller, run, ended: () => ended };
}

describe("an answer that is read to its end", () => {
  it("fails with the reason when the run is stopped, though the model goes on", async () => {
    const { model, calls, goOn } = stubbornModel();
    const taken: AgenticMessage[] = [];
    const first = gate();
    const { controller, run, ended } = readInNode(model, (chunk) => {
      taken.push(chunk);
      first.open();
      return undefined;
    });
    await first.opened;
    await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(run).rejects.toBe(reason);
    expect(await ended()).toBe(reason);
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toHaveLength(1);
    expect(calls.count).toBe(1);
  });

  it("fails with the reason when the run was stopped between two reads", async () => {
    const { model } = stubbornModel();
    const reason = new Error("enough");
    const { controller, run, ended } = readInNode(model, async () => controller.abort(reason));
    await expect(run).rejects.toBe(reason);
    expect(await ended()).toBe(reason);
  });

  it("leaves the model when a chunk cannot be taken", async () => {
    const left = gate();
    const model: AgenticModel = {
      component: "model",
      generate: async () => assistantMessage("whole"),
      async *stream() {
        try {
          for (;;) yield assistantMessage("more");
        } finally {
          left.open();
        }
      },
    };
    const error = new Error("full");
    const { ended } = readInNode(model, () => Promise.reject(error));
    await left.opened;
    expect(await ended()).toBe(error);
  });
});
