import { failureOf, firstOf, from, type NodeFailure, START, Workflow } from "kumiko";
import { expectTypeOf, it } from "vitest";

const working = new Workflow<string, string>().addNode("work", (text: string) => ({ text }), { input: from(START) });
const caught = working.addErrorBranch("work", ["sorry"], (failure, ctx) => {
  expectTypeOf(failure).toEqualTypeOf<NodeFailure<string>>();
  expectTypeOf(ctx.attempt).toEqualTypeOf<number>();
  return failure.attempts > 1 ? "sorry" : undefined;
});
const complete = caught.addNode("sorry", (why: string) => why, { input: failureOf("work", "error.message") });

it("gives its target the failure, with the input of the node", () => {
  caught.addNode(
    "sorry",
    ({ whole, input, message, cause }) => {
      expectTypeOf(whole).toEqualTypeOf<NodeFailure<string>>();
      expectTypeOf(input).toEqualTypeOf<string>();
      expectTypeOf(message).toEqualTypeOf<string>();
      expectTypeOf(cause).toEqualTypeOf<unknown>();
    },
    {
      input: {
        whole: failureOf("work"),
        input: failureOf("work", "input"),
        message: failureOf("work", "error.message"),
        cause: failureOf("work", "error.cause"),
      },
    },
  );
});

it("is sure that either the node or its target runs", () => {
  complete.end(firstOf(from("work", "text"), from("sorry"))).compile();
  // @ts-expect-error "text" of "work" may be missing
  complete.end(from("work", "text"));
  // @ts-expect-error "sorry" may be missing
  complete.end(from("sorry"));
});

it("is not sure of that when a target is END, or the node itself may be skipped", () => {
  working
    .addErrorBranch("work", ["sorry", "end"], () => "end")
    .addNode("sorry", () => "sorry")
    // @ts-expect-error the first of these may be missing
    .end(firstOf(from("work", "text"), from("sorry")));
  new Workflow<string, string>()
    .addBranch(START, ["work"], () => [])
    .addNode("work", () => "work")
    .addErrorBranch("work", ["sorry"], () => "sorry")
    .addNode("sorry", () => "sorry")
    // @ts-expect-error the first of these may be missing
    .end(firstOf(from("work"), from("sorry")));
});

it("has the failure for nodes behind the target, and perhaps for others", () => {
  complete
    .addNode("after", (given: { said: string; why: string }) => given.why, {
      input: { said: from("sorry"), why: failureOf("work", "input") },
    })
    .addNode("either", (given: { made: string | undefined; why: string | undefined }) => given.made ?? "", {
      input: { made: from("work", "text"), why: failureOf("work", "input") },
    })
    .end(from("either"))
    .compile();
  complete.addNode("other", (given: { made: string; why: string }) => given.why, {
    // @ts-expect-error "text" of "work" may be missing
    input: { made: from("work", "text"), why: failureOf("work", "input", {}) },
  });
  complete.addNode("other", (given: { text: string; why: string }) => given.why, {
    // @ts-expect-error "input" of the failure of "work" may be missing: let the target take undefined
    input: { text: from("work", "text", { required: true }), why: failureOf("work", "input") },
  });
});

it("wants the branch right behind its node, and a path of the failure", () => {
  // @ts-expect-error "work" has no error branch: call addErrorBranch("work", ...) right after adding it
  working.addNode("sorry", (why: string) => why, { input: failureOf("work", "error.message") });
  // @ts-expect-error no node "wrok" before this one
  caught.addNode("sorry", (why: string) => why, { input: failureOf("wrok", "error.message") });
  // @ts-expect-error the failure of "work" has no "mesage"
  caught.addNode("sorry", (why: string) => why, { input: failureOf("work", "mesage") });
  // @ts-expect-error "error.message" of the failure of "work" is string, "sorry" takes number
  caught.addNode("sorry", (why: number) => why, { input: failureOf("work", "error.message") });
  // @ts-expect-error addErrorBranch("work", ...) stands right behind addNode("work", ...)
  working.addNode("next", () => 1).addErrorBranch("work", ["sorry"], () => "sorry");
  // @ts-expect-error it has one already
  caught.addErrorBranch("work", ["other"], () => "other");
  // @ts-expect-error "other" is not a target
  working.addErrorBranch("work", ["sorry"], () => "other");
  // @ts-expect-error the error branch from "work" leads to "sorry", which is no node
  caught.end(firstOf(from("work", "text"), from(START))).compile();
  // @ts-expect-error START has none
  new Workflow<string, string>().addErrorBranch("start", ["sorry"], () => "sorry");
});
