import { Levenshtein, NumericDiff } from "autoevals";
import type { AgentResult } from "kumiko/agents";
import { type Case, type EvaluateContext, evaluate, type Report, recallAt } from "kumiko/evals";
import { exactMatch } from "openevals";
import { expectTypeOf, test } from "vitest";

declare const ask: (input: string, ctx: EvaluateContext) => Promise<AgentResult<string>>;

test("scorers get the answer of an agent, typed", () => {
  const app = evaluate({
    run: ({ input }, ctx) => ask(input, ctx),
    scorers: {
      typed: ({ output, expected }) => {
        expectTypeOf(output).toEqualTypeOf<string>();
        expectTypeOf(expected).toEqualTypeOf<string | undefined>();
        return output === expected;
      },
      recall: recallAt(5),
    },
  });
  expectTypeOf(app.invoke).returns.resolves.toEqualTypeOf<Report>();
});

test("scorers of other libraries fit where their output type does", () => {
  evaluate({ run: ({ input }, ctx) => ask(input, ctx), scorers: { levenshtein: Levenshtein, exactMatch } });
  evaluate({
    run: ({ input }: Case<number, number>, _ctx: EvaluateContext) => input * 2,
    scorers: { diff: NumericDiff },
  });
  // @ts-expect-error the output is a string
  evaluate({ run: ({ input }, ctx) => ask(input, ctx), scorers: { diff: NumericDiff } });
});
