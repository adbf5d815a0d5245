import { Chain, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";

const plain = (value: unknown): never => value as never;
const textOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
};
const compiled = (options: unknown): string =>
  textOf(() => new Chain<string>().append((text) => text).compile(plain(options)));

describe("an unknown option", () => {
  it.each([
    ["maxstep", "maxSteps"],
    ["callback", "callbacks"],
    ["nmae", "name"],
    ["STORE", "store"],
    ["interuptBefor", "interruptBefore"],
  ])("is reported with the one that was probably meant: %s", (name, meant) => {
    expect(compiled({ [name]: 1 })).toContain(
      `Unknown option "${name}" of compile(). Did you mean "${meant}"? Options: name,`,
    );
  });

  it.each(["x", "", "temperature", "__proto__x", "constructor", "a".repeat(70)])(
    "is reported without advice if none is similar: %j",
    (name) => {
      expect(compiled({ [name]: 1 })).toContain(`Unknown option "${name}" of compile(). Options: name,`);
    },
  );

  it("is found where the options of a call have checks of their own", async () => {
    const store = memoryStore();
    const app = new Chain<string>().append((text) => text).compile({ store, history: true });
    await app.invoke("tea", { checkpointId: "run" });
    await expect(app.prune("run", plain({ lst: 1 }))).rejects.toThrow(
      'Unknown option "lst" of prune. Did you mean "last"?',
    );
    await expect(app.prune("run", plain({ last: -1 }))).rejects.toThrow(
      "last of prune must be a whole number of at least 0 (got -1).",
    );
  });

  it.each([null, 5, "fast", [[]]])("is one of options, which must be an object, not %j", (options) => {
    expect(compiled(options)).toContain("The options of compile() must be an object");
  });
});
