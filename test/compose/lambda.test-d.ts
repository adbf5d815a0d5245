import { lambda, mapChunks, type NodeContext, passthrough, type Runnable, type StreamReader } from "kumiko";
import { describe, expectTypeOf, it } from "vitest";

describe("lambda", () => {
  it("is a Runnable of the types of any of its modes", () => {
    expectTypeOf(lambda({ invoke: (text: string) => text.length })).toEqualTypeOf<Runnable<string, number>>();
    expectTypeOf(lambda({ invoke: async (text: string) => text.length })).toEqualTypeOf<Runnable<string, number>>();
    expectTypeOf(
      lambda({
        stream: async function* (text: string) {
          yield text.length;
        },
      }),
    ).toEqualTypeOf<Runnable<string, number>>();
    expectTypeOf(
      lambda({ collect: async (stream: StreamReader<string>) => (await stream.concat()).length }),
    ).toEqualTypeOf<Runnable<string, number>>();
    expectTypeOf(
      lambda({ transform: (stream: StreamReader<string>) => stream.map((text) => text.length) }),
    ).toEqualTypeOf<Runnable<string, number>>();
  });

  it("knows its context, and has modes of one type", () => {
    lambda<string, string>({
      invoke: (text, ctx) => {
        expectTypeOf(ctx).toEqualTypeOf<NodeContext>();
        return text;
      },
      transform: (stream) => stream.map((text) => text.trim()),
    });
    // @ts-expect-error two types of output
    lambda<string, string>({ invoke: (text) => text, collect: () => 5 });
    // @ts-expect-error no such mode
    lambda({ call: (text: string) => text });
    // @ts-expect-error a plain function is a node as it is
    lambda((text: string) => text);
    // @ts-expect-error no such rule
    lambda({ invoke: (text: string) => text }, { concat: "sum" });
  });
});

describe("mapChunks and passthrough", () => {
  it("are Runnables", () => {
    expectTypeOf(mapChunks(async (text: string) => text.length)).toEqualTypeOf<Runnable<string, number>>();
    expectTypeOf(passthrough<string>()).toEqualTypeOf<Runnable<string, string>>();
    expectTypeOf(passthrough()).toExtend<Runnable<unknown, unknown>>();
  });
});
