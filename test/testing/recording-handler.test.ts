import { Chain } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const chain = new Chain<string>()
  .append((text) => text.trim(), { key: "trim" })
  .append(
    async function* (text: string, ctx) {
      ctx.progress("half");
      yield* text;
    },
    { key: "letters" },
  )
  .compile({ name: "chain" });

describe("recordingHandler", () => {
  it("names who was heard of, in order", async () => {
    const recorder = recordingHandler();
    await chain.invoke(" hi ", { callbacks: [recorder] });
    expect(recorder.names()).toEqual([
      "onStart chain",
      "onStart trim",
      "onEnd trim",
      "onStart letters",
      "onEvent letters",
      "onEnd letters",
      "onEnd chain",
    ]);
    expect(recorder.names("onStart")).toEqual(["chain", "trim", "letters"]);
  });

  it("keeps info and value of each timing", async () => {
    const recorder = recordingHandler();
    await chain.invoke(" hi ", { callbacks: [recorder] });
    expect(recorder.events.map(({ timing, info, value }) => [timing, info.component, value])).toEqual([
      ["onStart", "chain", " hi "],
      ["onStart", "lambda", " hi "],
      ["onEnd", "lambda", "hi"],
      ["onStart", "lambda", "hi"],
      ["onEvent", "lambda", { kind: "progress", event: "half" }],
      ["onEnd", "lambda", "hi"],
      ["onEnd", "chain", "hi"],
    ]);
  });

  it("keeps errors", async () => {
    const recorder = recordingHandler();
    const failing = new Chain<string>().append((): string => {
      throw new Error("boom");
    });
    await failing
      .compile()
      .invoke("", { callbacks: [recorder] })
      .catch(() => undefined);
    expect(recorder.names("onError")).toEqual(["node_0", ""]);
    expect(recorder.events.at(-1)?.value).toMatchObject({ code: "NODE_FAILED" });
  });

  it("knows which runs have not ended", async () => {
    const recorder = recordingHandler();
    const controller = new AbortController();
    const endless = new Chain<string>().append(() => new Promise<string>(() => undefined), { key: "wait" }).compile();
    const run = endless.invoke("", { callbacks: [recorder], signal: controller.signal }).catch(() => undefined);
    expect(recorder.unfinished().map(({ name }) => name)).toEqual(["", "wait"]);
    controller.abort();
    await run;
    expect(recorder.unfinished()).toEqual([]);
  });

  it("takes streams chunk by chunk when it is told to", async () => {
    const recorder = recordingHandler({ streams: true });
    await chain.stream(" hi ", { callbacks: [recorder] }).concat();
    await recorder.settled();
    const streams = recorder.events.filter(({ timing }) => timing === "onEndWithStreamOutput");
    expect(streams.map(({ info, value }) => [info.name, value])).toEqual([
      ["letters", ["h", "i"]],
      ["chain", ["h", "i"]],
    ]);
  });

  it("takes streams that go in", async () => {
    const recorder = recordingHandler({ streams: true });
    const input = async function* () {
      yield " h";
      yield "i";
    };
    await chain.collect(input(), { callbacks: [recorder] });
    await recorder.settled();
    expect(recorder.events[0]).toMatchObject({ timing: "onStartWithStreamInput", value: [" h", "i"] });
  });
});
