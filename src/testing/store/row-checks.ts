import { type ConformanceCheck, expectSame, expectThat } from "../conformance.js";
import { bytes, expectConflict, expectText, type StoreChecks, stored } from "./store-stage.js";

/** Checks for a single row: create, replace and delete. */
export const rowChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("finds nothing under an id that was never used", async ({ store, id }) => {
    expectSame(await store.get(id("unused")), undefined, "The result of get");
  }),
  check("keeps what was put, under the version that put returned", async ({ store, id }) => {
    const version = await store.put(id(), bytes("first"), undefined);
    expectThat(Number.isSafeInteger(version), `A version must be an integer, but put returned ${String(version)}.`);
    expectSame((await stored(store, id())).version, version, "The version that get returns");
    await expectText(store, id(), "first");
  }),
  check("returns the same rows to every handle", async ({ store, other, id, listed }) => {
    const version = await store.put(id(), bytes("first"), undefined);
    await expectText(other, id(), "first");
    await other.put(id(), bytes("second"), version);
    await expectText(store, id(), "second");
    expectSame((await listed("", other)).join(), "id", "What the second handle lists");
  }),
  check("creates a row only if none exists", async ({ store, id }) => {
    await store.put(id(), bytes("first"), undefined);
    await expectConflict(store.put(id(), bytes("second"), undefined), "Creating what exists");
    await expectText(store, id(), "first");
  }),
  check("replaces the given version", async ({ store, id }) => {
    const first = await store.put(id(), bytes("first"), undefined);
    const second = await store.put(id(), bytes("second"), first);
    expectThat(second !== first, "The new content has the version of the previous one.");
    expectSame((await stored(store, id())).version, second, "The version that get returns");
    await expectText(store, id(), "second");
  }),
  check("rejects the replacement of another version", async ({ store, id }) => {
    const first = await store.put(id(), bytes("first"), undefined);
    const second = await store.put(id(), bytes("second"), first);
    await expectConflict(store.put(id(), bytes("third"), first), "Replacing an old version");
    expectSame((await stored(store, id())).version, second, "The version afterwards");
    await expectText(store, id(), "second");
  }),
  check("rejects a replacement if nothing is stored", async ({ store, id }) => {
    await expectConflict(store.put(id(), bytes("first"), 1), "Replacing what does not exist");
    expectSame(await store.get(id()), undefined, "The result of get afterwards");
  }),
  ...deleteChecks(check),
];

const deleteChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("deletes only the given id", async ({ store, id }) => {
    await store.put(id("a"), bytes("a"), undefined);
    await store.put(id("ab"), bytes("ab"), undefined);
    await store.delete(id("a"));
    expectSame(await store.get(id("a")), undefined, "The result of get for the deleted id");
    await expectText(store, id("ab"), "ab");
  }),
  check("deletes an unknown id without an error", async ({ store, id }) => {
    await store.delete(id());
  }),
  check("deletes the given version", async ({ store, id }) => {
    const version = await store.put(id(), bytes("first"), undefined);
    await store.delete(id(), version);
    expectSame(await store.get(id()), undefined, "The result of get afterwards");
  }),
  check("rejects the deletion of another version", async ({ store, id }) => {
    const first = await store.put(id(), bytes("first"), undefined);
    await store.put(id(), bytes("second"), first);
    await expectConflict(store.delete(id(), first), "Deleting an old version");
    await expectText(store, id(), "second");
  }),
  check("rejects the deletion of a version if nothing is stored", async ({ store, id }) => {
    await expectConflict(store.delete(id(), 1), "Deleting a version of what does not exist");
  }),
  check("never uses a version twice for one id, also after a delete", async ({ store, other, id }) => {
    const seen = new Set<number>();
    for (let round = 0; round < 5; round++) {
      const handle = round % 2 === 0 ? store : other;
      const created = await handle.put(id(), bytes("created"), undefined);
      const replaced = await handle.put(id(), bytes("replaced"), created);
      for (const version of [created, replaced]) {
        expectThat(!seen.has(version), `Version ${version} was used twice.`);
        seen.add(version);
      }
      await handle.delete(id());
    }
  }),
  check("rejects a version from before a delete", async ({ store, id }) => {
    const version = await store.put(id(), bytes("first"), undefined);
    await store.delete(id());
    await expectConflict(store.put(id(), bytes("second"), version), "Replacing what was deleted");
    await store.put(id(), bytes("second"), undefined);
    await expectConflict(store.put(id(), bytes("third"), version), "Replacing what was deleted and created again");
  }),
  check("reports an owner as gone only if it is certain", async ({ store }) => {
    const alive = (await store.isOwnerAlive?.("an owner of another kind")) ?? true;
    expectSame(alive, true, "What isOwnerAlive says of an owner of another kind");
  }),
];
