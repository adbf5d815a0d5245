import { describe, expect, it } from "vitest";
import { Runtime } from "../../src/compose/runtime.js";
import { plain, thrownBy } from "./thrown-by.js";

describe("a Runtime", () => {
  it("refuses an option that it does not have, by name", () => {
    const error = thrownBy(() => new Runtime(plain({ callback: [] })));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain('no option "callback"');
  });

  it("refuses callbacks that are no list, and an onHandlerError that is no function", () => {
    expect(thrownBy(() => new Runtime({ callbacks: plain({}) })).message).toContain("callbacks");
    expect(thrownBy(() => new Runtime({ onHandlerError: plain("log") })).message).toContain("onHandlerError");
  });

  it("takes the handlers as they are when it is made", () => {
    const handlers = [{ onStart: () => undefined }];
    const runtime = new Runtime({ callbacks: handlers });
    handlers.push({ onStart: () => undefined });
    expect(runtime.callbacks).toHaveLength(1);
    expect(Object.isFrozen(runtime)).toBe(true);
  });
});
