import { Chain, type CheckpointStore, isInterrupt, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { forever, gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { type StoreCall, watchedStore } from "./watched-store.js";

/** Asks once; then works, and says under which key of its task. */
function app(store: CheckpointStore, keys: string[] = []) {
  return new Chain<string>()
    .append(async (text, ctx) => `${text}${String(await ctx.ask("go", "go?"))}`, { key: "asks" })
    .append(
      (text, ctx) => {
        keys.push(ctx.taskKey);
        return `${text}.`;
      },
      { key: "works" },
    )
    .compile({ store, durability: "step" });
}

const copyTo = (id: string) => ({ writeToCheckpointId: id });

/** What is thrown where a call of the store never comes back: its process was killed. */
const killed = new Error("killed");

describe("A resume with writeToCheckpointId", () => {
  it("may be repeated with the same answers: each is a run of its own", async () => {
    const [store, keys] = [watchedStore(), [] as string[]];
    const asking = app(store, keys);
    const { id } = await questionOf(asking.invoke("a", { checkpointId: "from" }));
    const before = await store.text("from");
    expect(await asking.resume("from", { [id]: "b" }, copyTo("one"))).toBe("ab.");
    expect(await asking.resume("from", { [id]: "b" }, copyTo("two"))).toBe("ab.");
    expect(await asking.resume("from", { [id]: "c" }, copyTo("three"))).toBe("ac.");
    expect(await store.text("from")).toBe(before);
    expect(await store.ids()).toEqual(["from"]);
    expect(await asking.resume("from", { [id]: "d" })).toBe("ad.");
    expect(new Set(keys).size).toBe(4);
  });

  it("never writes its answers into the first id", async () => {
    const store = watchedStore();
    const { id } = await questionOf(app(store).invoke("a", { checkpointId: "from" }));
    await app(store).resume("from", { [id]: "the answer of the copy" }, copyTo("to"));
    const written = store.calls.filter((call) => call.text?.includes("the answer of the copy"));
    expect(new Set(written.map((call) => call.id))).toEqual(new Set(["to"]));
  });

  it("claims the first id meanwhile, so that nobody else goes on with it", async () => {
    const [claimed, release] = [gate(), gate()];
    const rows = memoryStore();
    const after = ({ id, kind }: StoreCall) => {
      if (id !== "to" || kind !== "put") return undefined;
      claimed.open();
      return release.promise;
    };
    const { id } = await questionOf(app(rows).invoke("a", { checkpointId: "from" }));
    const copying = app(watchedStore({ after }, rows)).resume("from", { [id]: "b" }, copyTo("to"));
    await claimed.promise;
    expect((await errorOf(app(rows).resume("from", { [id]: "c" }))).code).toBe("CHECKPOINT_IN_USE");
    release.open();
    expect(await copying).toBe("ab.");
    expect(await app(rows).resume("from", { [id]: "c" })).toBe("ac.");
  });

  it.each([["before"], ["after"]] as const)(
    "leaves the first id as it was, without the answers, when it is killed at any call (%s)",
    async (when) => {
      for (let at = 0; ; at++) {
        const rows = memoryStore();
        const { id } = await questionOf(app(rows).invoke("a", { checkpointId: "from" }));
        const dead = gate();
        let calls = 0;
        const die = () => {
          if (calls++ !== at) return undefined;
          dead.open();
          return forever();
        };
        const store = watchedStore({ [when]: die }, rows);
        const copying = app(store).resume("from", { [id]: "copied" }, copyTo("to"));
        const outcome = await Promise.race([copying, dead.promise.then(() => killed)]);
        // in the next process
        const next = watchedStore({ isOwnerAlive: () => false }, rows);
        expect(await next.text("from")).not.toContain("copied");
        const left = (await next.ids()).filter((name) => name !== "from");
        const keys: string[] = [];
        for (const name of left) expect(await app(next, keys).resume(name)).toBe("acopied.");
        expect(await app(next, keys).resume("from", { [id]: "b" })).toBe("ab.");
        expect(new Set(keys).size).toBe(keys.length);
        if (outcome !== killed) return;
      }
    },
  );

  it.each([["before"], ["after"]] as const)(
    "can be tried again, whichever call of the store fails (%s it did its work)",
    async (when) => {
      for (let at = 0; ; at++) {
        const rows = memoryStore();
        const { id } = await questionOf(app(rows).invoke("a", { checkpointId: "from" }));
        let calls = 0;
        const fail = ({ kind }: StoreCall) => {
          if (kind !== "delete" && calls++ === at) throw new Error("the store is unreachable");
        };
        const store = watchedStore({ [when]: fail, isOwnerAlive: () => true }, rows);
        let result: unknown;
        for (let tries = 0; tries < 5 && result !== "ab."; tries++) {
          const isThere = (await store.ids()).includes("to");
          const run = isThere ? app(store).resume("to") : app(store).resume("from", { [id]: "b" }, copyTo("to"));
          result = await run.catch((error: unknown) => error);
          expect(isInterrupt(result)).toBe(false);
        }
        expect(result).toBe("ab.");
        expect(await app(rows).resume("from", { [id]: "c" })).toBe("ac.");
        if (calls <= at) return;
      }
    },
  );

  it("leaves both as they were when there is an unfinished run under the other id", async () => {
    const store = watchedStore();
    const { id } = await questionOf(app(store).invoke("a", { checkpointId: "from" }));
    await questionOf(app(store).invoke("b", { checkpointId: "to" }));
    const before = [await store.text("from"), await store.text("to")];
    expect((await errorOf(app(store).resume("from", { [id]: "c" }, copyTo("to")))).code).toBe("CHECKPOINT_PENDING");
    expect([await store.text("from"), await store.text("to")]).toEqual(before);
    const forced = { ...copyTo("to"), forceNewRun: true };
    expect(await app(store).resume("from", { [id]: "c" }, forced)).toBe("ac.");
  });

  it("that is stopped while it claims leaves both as they were", async () => {
    for (let at = 0; ; at++) {
      const rows = memoryStore();
      const { id } = await questionOf(app(rows).invoke("a", { checkpointId: "from" }));
      const before = await watchedStore({}, rows).text("from");
      const stop = new AbortController();
      let calls = 0;
      const hook = () => {
        if (calls++ === at) stop.abort(killed);
      };
      const store = watchedStore({ before: hook }, rows);
      const options = { ...copyTo("to"), signal: stop.signal };
      const outcome = await app(store)
        .resume("from", { [id]: "b" }, options)
        .catch((error: unknown) => error);
      await turns();
      expect(await store.text("from")).toBe(before);
      const hasBegun = store.calls.filter(({ kind, id: name }) => kind === "put" && name === "to").length > 1;
      if (!hasBegun) expect([outcome, await store.ids()]).toEqual([killed, ["from"]]);
      if (outcome !== killed) return;
    }
  });

  it("keeps the ids of questions that go on waiting", async () => {
    const store = watchedStore();
    const { id } = await questionOf(app(store).invoke("a", { checkpointId: "from" }));
    expect((await questionOf(app(store).resume("from", {}, copyTo("to")))).id).toBe(id);
    expect(await app(store).resume("to", { [id]: "b" })).toBe("ab.");
    expect(await app(store).resume("from", { [id]: "c" })).toBe("ac.");
    expect(await rejectedBy(app(store).resume("to"))).toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
  });
});
