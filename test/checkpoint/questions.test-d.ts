import { type Interrupt, InterruptError, isInterrupt, type NodeContext, type ToolContext } from "kumiko";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";

declare const ctx: NodeContext;
declare const toolCtx: ToolContext;
declare const error: unknown;

it("an answer has the type that its schema gives", () => {
  const schema = z.object({ count: z.number().default(1), at: z.string().transform((text) => new Date(text)) });
  expectTypeOf(ctx.ask("q", "?", schema)).resolves.toEqualTypeOf<{ count: number; at: Date }>();
  expectTypeOf(toolCtx.ask("q", "?", schema)).resolves.toEqualTypeOf<{ count: number; at: Date }>();
});

it("an answer without a schema is unknown, unless the code says what it is", () => {
  expectTypeOf(ctx.ask("q", "?")).resolves.toEqualTypeOf<unknown>();
  expectTypeOf(ctx.ask<string>("q", "?")).resolves.toEqualTypeOf<string>();
});

it("interrupt never returns, and once gives what its work gives", () => {
  expectTypeOf(ctx.interrupt("?")).toEqualTypeOf<never>();
  expectTypeOf(ctx.once("k", () => 1)).resolves.toEqualTypeOf<number>();
  expectTypeOf(ctx.once("k", async () => "text")).resolves.toEqualTypeOf<string>();
});

it("what was resumed with is unknown", () => {
  expectTypeOf(ctx.resume.data).toEqualTypeOf<unknown>();
  expectTypeOf(ctx.resume.state).toEqualTypeOf<unknown>();
  expectTypeOf(ctx.resume.hasData).toEqualTypeOf<boolean>();
});

it("isInterrupt tells what an error has", () => {
  if (!isInterrupt(error)) return;
  expectTypeOf(error.interrupts).toEqualTypeOf<readonly [Interrupt, ...Interrupt[]]>();
  const [question, second] = error.interrupts;
  expectTypeOf(question.id).toEqualTypeOf<string>();
  expectTypeOf(second).toEqualTypeOf<Interrupt | undefined>();
  // @ts-expect-error a run that stops waits for something
  new InterruptError("stopped", []);
});

it("keys are texts", () => {
  // @ts-expect-error a number is no key
  void ctx.ask(1, "?");
  // @ts-expect-error a number is no key
  void ctx.once(1, () => 1);
});
