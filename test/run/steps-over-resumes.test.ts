import { END, Graph, type InterruptError, isInterrupt, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { goOn } from "./every-way.js";
import { errorOf } from "./rejected-by.js";

const hows = ["resume", "resumeStream"] as const;
const triples = hows.flatMap((how) => (["exit", "step"] as const).map((durability) => [how, durability] as const));

/** A loop that asks in each round whether there is another one. */
function asking(maxSteps: number, durability: "exit" | "step", rest = 0) {
  const taskKeys: string[] = [];
  let left = 0;
  const app = new Graph<string, string>()
    .addNode("round", async (text: string, ctx) => {
      taskKeys.push(ctx.taskKey);
      if (left-- > 0) return `${text}.`;
      const more = await ctx.ask("more", "more?");
      left = rest;
      return `${text}${more}`;
    })
    .addEdge(START, "round")
    .addBranch("round", ["round", END], (text) => (text.endsWith("!") ? END : "round"))
    .compile({ store: memoryStore(), maxSteps, durability });
  return { app, taskKeys };
}

describe.each(triples)("the steps of a run that is resumed (%s, durability %s)", (how, durability) => {
  it("count anew against maxSteps with every resume", async () => {
    const { app } = asking(3, durability);
    const running =
      how === "resume" ? app.invoke("", { checkpointId: "run" }) : app.stream("", { checkpointId: "run" }).concat();
    let error: unknown = await running.catch((thrown: unknown) => thrown);
    for (let round = 0; round < 8; round++) {
      if (!isInterrupt(error)) throw error;
      const answer = round === 7 ? "!" : "+";
      const next = goOn(app, how, { [idOf(error)]: answer });
      if (round === 7) expect(await next).toBe("+++++++!");
      else error = await next.catch((thrown: unknown) => thrown);
    }
  });

  it("may not be more than maxSteps within one resume", async () => {
    const { app } = asking(5, durability, 1_000);
    const error = await app.invoke("", { checkpointId: "run" }).catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    const refused = await errorOf(goOn(app, how, { [idOf(error)]: "+" }));
    expect(refused.code).toBe("MAX_STEPS_EXCEEDED");
  });

  it("go on in taskKey: no two rounds have the same", async () => {
    const { app, taskKeys } = asking(3, durability);
    let error: unknown = await app.invoke("", { checkpointId: "run" }).catch((thrown: unknown) => thrown);
    for (let round = 0; round < 4; round++) {
      if (!isInterrupt(error)) throw error;
      error = await goOn(app, how, { [idOf(error)]: "+" }).catch((thrown: unknown) => thrown);
    }
    // each round is entered twice: to ask, and with the answer
    expect(taskKeys).toHaveLength(9);
    expect(new Set(taskKeys).size).toBe(5);
  });
});

function idOf({ interrupts }: InterruptError): string {
  const [question] = interrupts;
  if (question === undefined) throw new Error("Nobody asks.");
  return question.id;
}
