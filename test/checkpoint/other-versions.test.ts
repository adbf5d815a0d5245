import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { watchedStore } from "./watched-store.js";

const written = /^\{"version":3,/;

/** The checkpoint of a waiting run, as if another version of the format had written it. */
async function savedBy(version: number) {
  const store = watchedStore();
  const log: string[] = [];
  const app = orderChain({ log }, { store });
  const { id } = await questionOf(app.invoke("a", { checkpointId: "order-7" }));
  const text = await store.text("order-7");
  expect(text).toMatch(written);
  const other = text.replace(written, `{"version":${version},`);
  await store.replace("order-7", other);
  log.length = 0;
  return { store, app, log, id, other };
}

const refusal = (version: number, advice: string) =>
  `Checkpoint "order-7": This checkpoint has format version ${version}, but this version of kumiko reads only version 3. ${advice}`;
const startAnew =
  "Start the run anew with forceNewRun: true and takeover: true, or delete the checkpoint from the store.";

describe.each([1, 2])("A checkpoint of format version %i", (version) => {
  it("is CHECKPOINT_UNREADABLE: the message has both versions, and says what to do", async () => {
    const { app, log, id } = await savedBy(version);
    const error = { code: "CHECKPOINT_UNREADABLE", message: refusal(version, startAnew) };
    const calls = [
      () => app.resume("order-7"),
      () => app.resume("order-7", { [id]: "b" }),
      () => app.resume("order-7", {}, { takeover: true }),
      () => app.resume("order-7", {}, { writeToCheckpointId: "copy" }),
      () => app.resumeStream("order-7").concat(),
      () => app.invoke("a", { checkpointId: "order-7" }),
      () => app.invoke("a", { checkpointId: "order-7", forceNewRun: true }),
      () => app.history("order-7")[Symbol.asyncIterator]().next(),
      () => app.stateAt("order-7"),
      () => app.fork("order-7"),
      () => app.forget("order-7"),
    ];
    for (const call of calls) expect(await errorOf(call())).toMatchObject(error);
    expect(log).toEqual([]);
  });

  it("stays as it is", async () => {
    const { store, app, id, other } = await savedBy(version);
    await errorOf(app.resume("order-7", { [id]: "b" }));
    await errorOf(app.invoke("a", { checkpointId: "order-7", forceNewRun: true }));
    expect(await store.text("order-7")).toBe(other);
  });

  it("gives way to a new run with forceNewRun and takeover", async () => {
    const { store, app } = await savedBy(version);
    const { id } = await questionOf(app.invoke("c", { checkpointId: "order-7", forceNewRun: true, takeover: true }));
    expect(await store.text("order-7")).toMatch(written);
    expect(await app.resume("order-7", { [id]: "d" })).toBe("c>d.");
  });

  it("can be deleted with forget and takeover", async () => {
    const { store, app } = await savedBy(version);
    await app.forget("order-7", { takeover: true });
    expect(await store.ids()).toEqual([]);
  });
});

it("A checkpoint of a newer format version is CHECKPOINT_UNREADABLE: kumiko must be updated", async () => {
  const { app } = await savedBy(4);
  expect(await errorOf(app.resume("order-7"))).toMatchObject({
    code: "CHECKPOINT_UNREADABLE",
    message: refusal(4, "Update kumiko."),
  });
});
