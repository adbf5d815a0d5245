import { Chain, KumikoError } from "kumiko";
import { describe, expect, it } from "vitest";

const failing = (error: unknown) =>
  new Chain<number>()
    .append(
      (_: number): number => {
        throw error;
      },
      { key: "step" },
    )
    .compile();

describe("the error of a run", () => {
  it("is the caller's: another run that shares it gets its own, with its own path", async () => {
    const shared = failing(new Error("why")).invoke(1);
    const first = await shared.catch((error: unknown) => error);
    const around = (key: string) =>
      new Chain<number>()
        .append(() => shared, { key })
        .compile()
        .invoke(1);
    await expect(around("left")).rejects.toMatchObject({ code: "NODE_FAILED", nodePath: ["left", "step"] });
    await expect(around("right")).rejects.toMatchObject({ code: "NODE_FAILED", nodePath: ["right", "step"] });
    expect(first).toMatchObject({ nodePath: ["step"] });
  });

  it("keeps its class, cause and message when its path grows", async () => {
    class Refused extends KumikoError {
      readonly by = "policy";
    }
    const inner = failing(new Refused("VALIDATION", "no", { cause: "because" }));
    const outer = new Chain<number>().append((count) => inner.invoke(count), { key: "outer" }).compile();
    const error = await outer.invoke(1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Refused);
    expect(error).toMatchObject({ code: "VALIDATION", message: "no", cause: "because", by: "policy" });
    expect(error).toMatchObject({ nodePath: ["outer", "step"] });
  });

  it("may be frozen", async () => {
    const frozen = Object.freeze(new KumikoError("VALIDATION", "no"));
    await expect(failing(frozen).invoke(1)).rejects.toMatchObject({ code: "VALIDATION", nodePath: ["step"] });
  });

  it("names its node even if what was thrown cannot be shown", async () => {
    const evil = () => {
      throw new Error("evil");
    };
    for (const thrown of [
      Object.defineProperty(new Error(), "message", { get: evil }),
      Object.assign(Object.create(null), { toJSON: evil }),
    ]) {
      await expect(failing(thrown).invoke(1)).rejects.toMatchObject({ code: "NODE_FAILED", nodePath: ["step"] });
    }
  });
});
