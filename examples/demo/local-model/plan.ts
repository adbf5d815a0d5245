import type { z } from "zod";

/** A tool call that the model wants to make. Its arguments also identify it: what was asked once is not asked again. */
export interface Call {
  readonly name: string;
  readonly arguments: string;
}

/** What a call came to. */
export interface Fact {
  readonly result: string;
  readonly isError: boolean;
}

/** What the model says, and the calls it makes, before it can go on. */
export interface Wish {
  readonly say: string;
  readonly calls: readonly Call[];
}

/**
 * A way to an answer, written from top to bottom: it yields what it wants to know and is continued with the facts. A model
 * keeps nothing between two messages, so a plan is walked again from its start each time, past everything that the
 * conversation already tells.
 */
export type Plan<Answer = string> = Generator<Wish, Answer, readonly Fact[]>;

/** The answer of a plan, or what it wants to know first. */
export type Step<Answer> = { readonly answer: Answer } | { readonly wish: Wish };

export function walk<Answer>(plan: Plan<Answer>, known: (call: Call) => Fact | undefined): Step<Answer> {
  let step = plan.next([]);
  while (!step.done) {
    const { say, calls } = step.value;
    const missing = calls.filter((call) => known(call) === undefined);
    if (missing.length > 0) return { wish: { say, calls: unique(missing) } };
    step = plan.next(calls.flatMap((call) => known(call) ?? []));
  }
  return { answer: step.value };
}

/** Follows several plans at once: their calls go into the same messages, and run in parallel. */
export function* together<const Answers extends readonly unknown[]>(
  plans: {
    readonly [Index in keyof Answers]: Plan<Answers[Index]>;
  },
): Plan<Answers> {
  const steps = plans.map((plan) => plan.next([]));
  for (;;) {
    const wishes = steps.map((step) => (step.done ? { say: "", calls: [] } : step.value));
    const calls = wishes.flatMap((wish) => wish.calls);
    if (calls.length === 0) return steps.map((step) => step.value) as readonly unknown[] as Answers;
    const said = new Set(wishes.map(({ say }) => say).filter((say) => say !== ""));
    const facts = yield { say: [...said].join(" "), calls };
    let used = 0;
    for (const [index, plan] of plans.entries()) {
      const count = wishes[index]?.calls.length ?? 0;
      if (count > 0) steps[index] = plan.next(facts.slice(used, used + count));
      used += count;
    }
  }
}

/** What a tool gave, or in its own words why it did not. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

/** Calls a tool and reads its result, which must be what the tool promises. */
export function* ask<Input extends z.ZodType, Output extends z.ZodType>(
  tool: { readonly id: string; readonly inputSchema: Input; readonly outputSchema: Output },
  input: z.input<Input>,
  say = "",
): Plan<Outcome<z.output<Output>>> {
  const text = yield* askForText(tool.id, input, say);
  if (!text.ok) return text;
  try {
    const read = tool.outputSchema.safeParse(JSON.parse(text.value));
    return read.success ? { ok: true, value: read.data } : { ok: false, reason: text.value };
  } catch {
    return { ok: false, reason: text.value };
  }
}

/** Calls a tool by its name; its result is taken as the text that it is. */
export function* askForText(name: string, input: unknown, say = ""): Plan<Outcome<string>> {
  const [fact] = yield { say, calls: [{ name, arguments: JSON.stringify(input) }] };
  if (fact === undefined || fact.isError) return { ok: false, reason: fact?.result ?? `${name} gave no result.` };
  return { ok: true, value: fact.result };
}

function unique(calls: readonly Call[]): Call[] {
  return [...new Map(calls.map((call) => [`${call.name} ${call.arguments}`, call])).values()];
}
