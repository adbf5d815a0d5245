import { Chain, type CheckpointStore, memoryStore } from "kumiko";
import { expect, it } from "vitest";
import { gate } from "../run/gate.js";
import { watchedStore } from "./watched-store.js";

it("a run that was taken over stays lost, although its last write was that of the one that has it now", async () => {
  const rows = memoryStore();
  const begun: string[] = [];
  const chainOf = (process: string, store: CheckpointStore, on: (node: string) => unknown) => {
    const node = (name: string) => async (text: string) => {
      begun.push(`${process} ${name}`);
      await on(name);
      return `${text}${name}`;
    };
    return new Chain<string>()
      .append(node("1"), { key: "one" })
      .append(node("2"), { key: "two" })
      .append(node("3"), { key: "three" })
      .compile({ name: "line", store, durability: "step" });
  };
  let isAway = false;
  const tried = gate();
  const store = watchedStore(
    {
      before: ({ kind }) => {
        if (!isAway) return;
        if (kind === "put") tried.open();
        throw new Error("the store is unreachable");
      },
    },
    rows,
  );
  const first = chainOf("first", store, (node) => {
    isAway = node === "1";
  });
  const driven = first.segment("id", { input: "" });
  await tried.promise;
  const [reached, release] = [gate(), gate()];
  const second = chainOf("second", rows, async (node) => {
    if (node !== "2") return;
    reached.open();
    await release.promise;
  });
  const taken = second.resume("id", undefined, { takeover: true });
  await reached.promise;
  isAway = false;
  // it finds out, and waits for the one that has it
  await expect.poll(() => store.calls.filter(({ kind }) => kind === "get").length).toBeGreaterThan(2);
  release.open();
  expect(await taken).toBe("123");
  expect(begun).toEqual(["first 1", "second 1", "second 2", "second 3"]);
  expect(await driven).toMatchObject({ status: "cancelled" });
});
