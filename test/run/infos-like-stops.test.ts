import { Chain } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "./rejected-by.js";

describe("A question whose info looks like a stop of the library", () => {
  it.each([{ kind: "before_after" }, { kind: "requested" }, { kind: "before_after", before: "a", after: 1 }])(
    "is a question: %o",
    async (info) => {
      const asking = new Chain<string>().append((_text, ctx) => ctx.ask("sure", info)).compile();
      const error = await errorOf(asking.invoke(""));
      expect(error).toMatchObject({ code: "INTERRUPTED", interrupts: [{ info }] });
      expect(error.message).toContain("waits for answers at");
    },
  );

  it("is one beside a real stop too", async () => {
    const graph = new Chain<string>()
      .append((text: string) => text, { key: "first" })
      .append((text: string) => text, { key: "second" })
      .compile({ interruptBefore: ["second"] });
    expect((await errorOf(graph.invoke(""))).message).toContain('stopped before "second"');
  });
});
