import { type AgenticMessage, Chain, runnable } from "kumiko";
import type { Template } from "kumiko/components";
import { jinja, placeholder, promptTemplate } from "kumiko/templates";
import { expectTypeOf, it } from "vitest";

declare const history: AgenticMessage[];

const template = promptTemplate([
  ["system", "You are {role}. Answer as {{json}}."],
  placeholder("history"),
  placeholder("examples", { optional: true }),
  ["user", "{question}"],
]);

it("reads the variables from the texts", () => {
  void template.format({ role: "a poet", history, question: 1 });
  void template.format({ role: "a poet", history, examples: history, question: { nested: true } });
  // @ts-expect-error the question is missing
  void template.format({ role: "a poet", history });
  // @ts-expect-error the history is missing
  void template.format({ role: "a poet", question: "Why?" });
  // @ts-expect-error nothing is not a value
  void template.format({ role: undefined, history, question: "" });
  // @ts-expect-error a history is made of messages
  void template.format({ role: "a poet", history: ["Hi"], question: "" });
  // @ts-expect-error {{json}} is text
  void template.format({ role: "a poet", history, question: "", json: "" });
});

it("is a template component", () => {
  expectTypeOf(template).toExtend<Template<{ role: string; history: AgenticMessage[]; question: string }>>();
  expectTypeOf(runnable(template).invoke).returns.resolves.toEqualTypeOf<AgenticMessage[]>();
});

it("takes what the step before it gives, when that fits", () => {
  const question = promptTemplate([["user", "{question}"]]);
  expectTypeOf(new Chain<{ question: string }>().append(question).compile().invoke).returns.resolves.toEqualTypeOf<
    AgenticMessage[]
  >();
  // @ts-expect-error nothing supplies the question
  new Chain<{ answer: string }>().append(question);
});

it("takes any variables in other syntaxes, and in texts that are no literals", () => {
  void promptTemplate([["user", "{{ a }}"], placeholder("history")], { syntax: jinja }).format({ a: 1, history });
  // @ts-expect-error the placeholder is still known
  void promptTemplate([["user", "{{ a }}"], placeholder("history")], { syntax: jinja }).format({ a: 1 });
  void promptTemplate([["user", "{a}" as string]]).format({ a: 1 });
});

it("knows three roles", () => {
  // @ts-expect-error human is not a role
  promptTemplate([["human", "Hi"]]);
});
