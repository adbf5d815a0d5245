import { END, Graph, memoryStore, START } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { expect, it } from "vitest";

/** Two nodes side by side: one awaits a state handler first, the other some microtasks. */
async function ends(microtasks: number, isSaved: boolean): Promise<string[]> {
  const recorder = recordingHandler();
  const app = new Graph<number, Record<string, number>>()
    .withState(() => ({}))
    .addNode("handled", (input: number) => input, { before: async (input) => input, outputKey: "handled" })
    .addNode(
      "waiting",
      async (input: number) => {
        for (let n = 0; n < microtasks; n++) await undefined;
        return input;
      },
      { outputKey: "waiting" },
    )
    .addEdge(START, "handled")
    .addEdge(START, "waiting")
    .addEdge("handled", END)
    .addEdge("waiting", END)
    .compile(isSaved ? { store: memoryStore() } : {});
  await app.invoke(1, { callbacks: [recorder], ...(isSaved && { checkpointId: "run" }) });
  return recorder.events.filter(({ timing }) => timing === "onEnd").map(({ info }) => info.name);
}

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  "ends nodes in the order of a plain run when the result of `before` is kept: %i microtasks beside it",
  async (microtasks) => {
    expect(await ends(microtasks, true)).toEqual(await ends(microtasks, false));
  },
);
