import { memoryStore } from "kumiko";
import { expect, it } from "vitest";
import { add, registered, step, workflow } from "./workflows.js";

it("leaves a run to the process that has taken it over", async () => {
  const storage = memoryStore();
  const gates: PromiseWithResolversOf<void>[] = [];
  const held = () =>
    registered(
      workflow("flow", { durability: "step" })
        .then(add("first"))
        .then(
          step("held", async ({ inputData }) => {
            const gate = withResolvers<void>();
            gates.push(gate);
            await gate.promise;
            return inputData + 10;
          }),
        )
        .then(add("last")),
      { storage },
    );
  const opened = async (count: number): Promise<void> => {
    while (gates.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const lost = held().createRun({ runId: "1" }).start({ inputData: 1 });
  await opened(1);
  const taken = held().createRun({ runId: "1" }).restart({ takeover: true });
  await opened(2);
  gates[0]?.resolve();
  expect(await lost).toMatchObject({ status: "failed", error: { code: "CHECKPOINT_LOST" } });
  gates[1]?.resolve();
  expect(await taken).toMatchObject({ status: "success", result: 13 });
});

interface PromiseWithResolversOf<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function withResolvers<T>(): PromiseWithResolversOf<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
