import { type ConformanceCheck, expectThat } from "../conformance.js";
import { noise } from "./append-stage.js";
import { bytes, expectBytes, expectText, type StoreChecks, stored } from "./store-stage.js";

/** Checks that bytes are stored unchanged. */
export const byteChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("keeps every byte as it is", async ({ store, other, id }) => {
    const all = Uint8Array.from({ length: 512 }, (_, index) => index);
    await store.put(id(), all, undefined);
    expectBytes((await stored(other, id())).data, all, "The bytes");
  }),
  check("keeps values of 1 MB", async ({ store, other, id }) => {
    const first = noise(1_048_576, 1);
    const version = await store.put(id(), first, undefined);
    expectBytes((await stored(other, id())).data, first, "The bytes");
    const second = noise(1_048_577, 2);
    await store.put(id(), second, version);
    expectBytes((await stored(other, id())).data, second, "The bytes that replaced them");
  }),
  check("keeps an empty value", async ({ store, id }) => {
    await store.put(id(), new Uint8Array(), undefined);
    expectBytes((await stored(store, id())).data, new Uint8Array(), "The bytes");
  }),
  check("stores the bytes of a view, not those around it", async ({ store, id }) => {
    await store.put(id(), bytes("-----seen-----").subarray(5, 9), undefined);
    await expectText(store, id(), "seen");
  }),
  check("copies what is put before put returns", async ({ store, id }) => {
    const data = bytes("first");
    const put = store.put(id(), data, undefined);
    data.fill(0);
    await put;
    await expectText(store, id(), "first");
    const [changed, again] = [bytes("again"), store.get(id())];
    const replaced = store.put(id(), changed, (await again)?.version);
    changed.fill(0);
    await replaced;
    await expectText(store, id(), "again");
  }),
  check("returns a copy to each caller", async ({ store, id }) => {
    await store.put(id(), bytes("first"), undefined);
    const found = await stored(store, id());
    found.data.fill(0);
    await expectText(store, id(), "first");
    expectThat((await stored(store, id())).data !== found.data, "get returns the same array twice.");
  }),
];
