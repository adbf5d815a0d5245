import { memoryCache } from "kumiko";
import { expect, it } from "vitest";

const bytes = new Uint8Array([1]);

it("keeps 1,000 outputs, and forgets the one that was used least recently", async () => {
  const cache = memoryCache();
  for (let n = 0; n < 1_000; n++) await cache.set(`${n}`, bytes);
  await cache.get("0");
  await cache.set("1000", bytes);
  expect(await cache.get("0")).toEqual(bytes);
  expect(await cache.get("1")).toBeUndefined();
});

it.each([null, 5, [], { maxEntries: 0 }, { maxEntries: 1.5 }, { maxEntries: "9" }, { clock: {} }, { max: 9 }])(
  "refuses %j as options",
  (options) => {
    expect(() => memoryCache(options as never)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  },
);
