import { assistantMessage, findCause, InterruptError, isInterrupt, KumikoError, ToolError } from "kumiko";
import { describe, expect, it } from "vitest";
import type { Interrupts } from "../../../src/checkpoint/pause/interrupt.js";
import { roundTrip } from "./round-trip.js";

class RateLimited extends Error {
  override readonly name = "RateLimited";
  readonly retryAfter = new Date(1000);
}

describe("a saved error", () => {
  it.each([Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError])(
    "of class %o keeps its class, message and stack",
    (Type) => {
      const error = new Type("bad");
      const copy = roundTrip(error);
      expect(Object.getPrototypeOf(copy)).toBe(Type.prototype);
      expect([copy.message, copy.stack, copy.name]).toEqual(["bad", error.stack, error.name]);
      expect(Object.getOwnPropertyNames(copy).sort()).toEqual(Object.getOwnPropertyNames(error).sort());
      expect(Object.keys(copy)).toEqual([]);
    },
  );

  it("keeps its causes", () => {
    const error = new Error("outer", { cause: new TypeError("inner", { cause: { code: 7n } }) });
    const copy = roundTrip(error);
    expect(copy.cause).toBeInstanceOf(TypeError);
    expect(findCause(copy, TypeError)?.cause).toStrictEqual({ code: 7n });
    expect(Object.keys(copy)).toEqual([]);
  });

  it("keeps a cause that is undefined apart from none", () => {
    expect("cause" in roundTrip(new Error("x", { cause: undefined }))).toBe(true);
    expect("cause" in roundTrip(new Error("x"))).toBe(false);
  });

  it("keeps the errors of an AggregateError", () => {
    const copy = roundTrip(new AggregateError([new RangeError("a"), "b"], "both"));
    expect(copy).toBeInstanceOf(AggregateError);
    expect(copy.message).toBe("both");
    expect(copy.errors).toEqual([new RangeError("a"), "b"]);
    expect(copy.errors[0]).toBeInstanceOf(RangeError);
    expect(Object.keys(copy)).toEqual([]);
  });

  it("keeps fields of its own", () => {
    const copy = roundTrip(Object.assign(new Error("x"), { code: "ENOENT", at: new Date(0), __proto: [1n] }));
    expect(copy).toMatchObject({ code: "ENOENT", at: new Date(0), __proto: [1n] });
  });

  it("keeps a name that was given to it, or to its prototype", () => {
    const error = new Error("x");
    error.name = "Mine";
    expect(Object.getOwnPropertyDescriptor(roundTrip(error), "name")).toMatchObject({
      value: "Mine",
      enumerable: true,
    });
    class Named extends Error {
      override get name(): string {
        return "Named";
      }
    }
    expect(String(roundTrip(new Named("x")))).toBe("Named: x");
  });

  it("keeps a message that its prototype makes, and one that is no text", () => {
    class Counted extends Error {
      override get message(): string {
        return "made";
      }
    }
    const counted = new Counted();
    Reflect.deleteProperty(counted, "message");
    expect(roundTrip(counted).message).toBe("made");
    const odd = Object.defineProperty(new Error("x"), "message", { value: { code: 1 } });
    expect(roundTrip(odd).message).toStrictEqual({ code: 1 });
    expect(Object.hasOwn(roundTrip(new Error()), "message")).toBe(false);
  });

  it("of a class without a codec becomes one of its nearest built-in class, with its name and fields", () => {
    const copy = roundTrip(new RateLimited("slow down"));
    expect(Object.getPrototypeOf(copy)).toBe(Error.prototype);
    expect(String(copy)).toBe("RateLimited: slow down");
    expect(copy.retryAfter).toStrictEqual(new Date(1000));
    class Worse extends TypeError {}
    expect(roundTrip(new Worse("x"))).toBeInstanceOf(TypeError);
  });

  it("of a class with a codec is made by it", () => {
    const codec = {
      name: "rate-limited",
      type: RateLimited,
      encode: ({ message }: RateLimited) => message,
      decode: (message: string) => new RateLimited(message),
    };
    const copy = roundTrip(new Error("failed", { cause: new RateLimited("slow down") }), [codec]);
    expect(findCause(copy, RateLimited)?.message).toBe("slow down");
  });

  it("has no stack when it had none", () => {
    const error = new Error("x");
    delete error.stack;
    expect(Object.hasOwn(roundTrip(error), "stack")).toBe(false);
  });

  it("keeps cycles that lead back to it", () => {
    const error: Error & { self?: unknown; context?: unknown } = new Error("x");
    error.self = error;
    error.cause = { error };
    error.context = new Map([[error, new Set([error])]]);
    const copy = roundTrip([error, error]);
    expect(copy[1]).toBe(copy[0]);
    expect(copy[0]?.self).toBe(copy[0]);
    const { cause, context } = copy[0] as { cause: { error: unknown }; context: Map<unknown, Set<unknown>> };
    expect(cause.error).toBe(copy[0]);
    expect(context.get(copy[0])?.has(copy[0])).toBe(true);
  });

  it("of a DOMException keeps name, message and code", () => {
    const error = new DOMException("late", "TimeoutError");
    const copy = roundTrip({ reason: error, again: error });
    expect(copy.reason).toBeInstanceOf(DOMException);
    expect([copy.reason.name, copy.reason.message, copy.reason.code]).toEqual(["TimeoutError", "late", 23]);
    expect(copy.reason.stack).toBe(error.stack);
    expect(copy.again).toBe(copy.reason);
  });
});

describe("a saved error of this library", () => {
  it("comes back as a KumikoError", () => {
    const error = new KumikoError("NODE_FAILED", "no", { nodePath: ["a", "b"], cause: new RangeError("x") });
    const copy = roundTrip(error);
    expect(copy).toBeInstanceOf(KumikoError);
    expect(KumikoError.is(copy)).toBe(true);
    expect([copy.code, copy.nodePath, copy.message, copy.name, copy.stack]).toEqual([
      "NODE_FAILED",
      ["a", "b"],
      "no",
      "KumikoError",
      error.stack,
    ]);
    expect(copy.cause).toBeInstanceOf(RangeError);
    expect(Reflect.ownKeys(copy)).toEqual(expect.arrayContaining(Reflect.ownKeys(error)));
  });

  it("comes back as a ToolError with what became of the call", () => {
    const error = new ToolError("output_validation", "no", {
      toolName: "search",
      callId: "c1",
      output: new Map([["a", 1n]]),
      issues: [{ message: "bad", path: ["a", { key: 1 }, Symbol("b")] }],
    });
    Object.assign(error, { results: [assistantMessage("done")], nodePath: ["tools"] });
    const copy = roundTrip(error);
    expect(ToolError.is(copy)).toBe(true);
    expect(copy).toBeInstanceOf(ToolError);
    expect(copy).toMatchObject({
      code: "TOOL_FAILED",
      kind: "output_validation",
      toolName: "search",
      callId: "c1",
      nodePath: ["tools"],
      output: new Map([["a", 1n]]),
      issues: [{ message: "bad", path: ["a", 1, "Symbol(b)"] }],
    });
    expect(copy.results).toEqual([assistantMessage("done")]);
  });

  it("keeps of the issues of a validator what the standard says, and not what cannot be saved", () => {
    const issue = { message: "bad", requirement: () => true, schema: new (class Schema {})() };
    const copy = roundTrip(
      new ToolError("validation", "no", { toolName: "search", callId: "c1", issues: [issue, { message: "worse" }] }),
    );
    expect(copy.issues).toStrictEqual([{ message: "bad" }, { message: "worse" }]);
  });

  it("comes back as an InterruptError", () => {
    const interrupts: Interrupts = [{ id: "1", address: "runnable:g;node:a", info: new Date(0) }];
    const copy = roundTrip(new InterruptError("stopped", interrupts, "order-7"));
    expect(isInterrupt(copy)).toBe(true);
    expect(copy).toBeInstanceOf(InterruptError);
    expect([copy.code, copy.checkpointId, copy.interrupts]).toEqual(["INTERRUPTED", "order-7", interrupts]);
  });

  it("has an interrupt when it comes back, whatever was saved", () => {
    const error = new InterruptError("stopped", [{ id: "1", address: "runnable:g;node:a", info: 1 }]);
    Object.defineProperty(error, "interrupts", { value: [], enumerable: true });
    const [interrupt] = roundTrip(error).interrupts;
    expect(interrupt).toEqual({ id: "", address: "", info: undefined });
  });

  it("of a second copy of this package comes back as one of this copy", () => {
    const brand = Symbol.for("kumiko/KumikoError");
    const foreign = Object.assign(new Error("loop"), { [brand]: true, code: "CYCLE", nodePath: ["x"] });
    const copy: unknown = roundTrip(foreign);
    expect(copy).toBeInstanceOf(KumikoError);
    expect(copy).toMatchObject({ code: "CYCLE", nodePath: ["x"], message: "loop" });
  });
});
