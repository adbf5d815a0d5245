import type { RunIndex } from "../../checkpoint/runs/run-index.js";
import type { ConformanceCheck } from "../conformance.js";
import { type CheckRuns, expectNames, expectRow, putRun, readyIndex, runsCheck, save } from "./run-stage.js";
import { bytes, expectConflict, expectText, type StoreChecks } from "./store-stage.js";

/** Checks of the index that is written with each save. A store without `runs` passes them. */
export const runChecks = (check: StoreChecks): ConformanceCheck[] => {
  const checkRuns = runsCheck(check);
  return [...putChecks(checkRuns), ...saveChecks(checkRuns), ...conflictChecks(checkRuns)];
};

const putChecks = (check: CheckRuns): ConformanceCheck[] => [
  check("finds a run by the index of its put, with every field", async (stage, find) => {
    const { id, prefix } = stage;
    const least: RunIndex = { status: "ready", graph: "order", since: 1_700_000_000_000 };
    const all: RunIndex = {
      status: "waiting",
      graph: "clerk",
      owner: "host/7",
      since: 1_700_000_000_001.5,
      due: 1_800_000_000_000.25,
      threadId: `${prefix}thread`,
      userId: "ann",
    };
    await putRun(stage, "least", least);
    await putRun(stage, "all", all);
    const [first, second] = await find({ prefix });
    expectRow(first, id("least"), least);
    expectRow(second, id("all"), all);
  }),
  check("keeps the texts of an index, whatever their characters", async (stage, find) => {
    const texts = ["", "\u0000", "a\u0000b", "\ud83d", "😀", "\ufeffa", "'; DROP", '"', "\\", "ä", "a\u0308"];
    for (const [at, text] of texts.entries()) {
      const index = readyIndex(at, { graph: text, owner: text, userId: text, threadId: stage.prefix + text });
      await putRun(stage, String(at), index);
      for (const query of [{ graph: text }, { owner: [text] }, { userId: text }]) {
        const [row, ...more] = await find({ prefix: stage.prefix, ...query });
        expectRow(row, stage.id(String(at)), index);
        expectNames(more, [], stage);
      }
    }
  }),
  check("lists no row that was put without an index", async (stage, find) => {
    const { store, id, prefix } = stage;
    await putRun(stage, "never", undefined);
    const version = await putRun(stage, "once", readyIndex(1));
    expectNames(await find({ prefix }), ["once"], stage);
    const next = await store.put(id("once"), bytes("second"), version);
    expectNames(await find({ prefix }), [], stage);
    await store.put(id("once"), bytes("third"), next, readyIndex(2));
    expectRow((await find({ prefix }))[0], id("once"), readyIndex(2));
  }),
  check("lists no run that was deleted, also after its id is used again", async (stage, find) => {
    const { store, other, id, prefix } = stage;
    const version = await putRun(stage, "at this version", readyIndex(1));
    await putRun(stage, "at any version", readyIndex(2));
    await putRun(stage, "kept", readyIndex(3));
    await store.delete(id("at this version"), version);
    await other.delete(id("at any version"));
    expectNames(await find({ prefix }), ["kept"], stage);
    await putRun(stage, "at any version", undefined);
    expectNames(await find({ prefix }), ["kept"], stage);
  }),
];

const saveChecks = (check: CheckRuns): ConformanceCheck[] => [
  check("leaves the index as it is when an entry is appended without one", async (stage, find) => {
    const { store, id, prefix } = stage;
    const index = readyIndex(1, { owner: "host/7", due: 5 });
    const version = await putRun(stage, "a", index);
    await store.append?.(id("a"), bytes("entry"), version);
    const [row, ...more] = await find({ prefix });
    expectRow(row, id("a"), index);
    expectNames(more, [], stage);
  }),
  check("replaces the index with that of a later save, field by field", async (stage, find) => {
    const { store, other, id, prefix } = stage;
    const indexes: RunIndex[] = [
      { status: "running", graph: "order", owner: "host/7", since: 2 },
      { status: "waiting", graph: "order", since: 3, due: 9 },
      { status: "ready", graph: "order@2", since: 4, userId: "ann", threadId: `${prefix}t` },
      { status: "finished", graph: "order@2", since: 5 },
    ];
    let version = await putRun(stage, "a", readyIndex(1, { userId: "bob" }));
    for (const [at, index] of indexes.entries()) {
      const handle = at % 2 === 0 ? store : other;
      version = await save(handle, id("a"), "entry", version, index);
      expectRow((await find({ prefix }))[0], id("a"), index);
    }
    for (const index of indexes) {
      version = await store.put(id("a"), bytes("base"), version, index);
      const [row, ...more] = await find({ prefix });
      expectRow(row, id("a"), index);
      expectNames(more, [], stage);
    }
  }),
  check("lists a row that gets its index with an appended entry", async (stage, find) => {
    const { store, id, prefix } = stage;
    const version = await putRun(stage, "a", undefined);
    const next = await save(store, id("a"), "entry", version, readyIndex(1));
    expectRow((await find({ prefix }))[0], id("a"), readyIndex(1));
    await expectText(store, id("a"), "a");
    await store.put(id("a"), bytes("second"), next);
    expectNames(await find({ prefix }), [], stage);
  }),
  check("writes an index that was passed before, after another handle has changed it", async (stage, find) => {
    const { store, other, id, prefix } = stage;
    const mine = readyIndex(1);
    const version = await save(store, id("a"), "one", await putRun(stage, "a", mine), mine);
    const theirs = await save(other, id("a"), "two", version, readyIndex(2, { status: "stopped" }));
    const last = await save(store, id("a"), "three", theirs, mine);
    expectRow((await find({ prefix }))[0], id("a"), mine);
    await other.delete(id("a"), last);
    await other.put(id("a"), bytes("again"), undefined);
    await putRun(stage, "b", mine);
    expectNames(await find({ prefix }), ["b"], stage);
  }),
];

const conflictChecks = (check: CheckRuns): ConformanceCheck[] => [
  check("writes neither bytes nor index in a conflict", async (stage, find) => {
    const { store, other, id, prefix } = stage;
    const [index, late] = [readyIndex(1), readyIndex(2, { status: "failed" })];
    const version = await putRun(stage, "a", index);
    await expectConflict(other.put(id("a"), bytes("late"), undefined, late), "Creating what exists");
    await expectConflict(other.put(id("a"), bytes("late"), version + 1_000, late), "Replacing another version");
    await expectConflict(other.put(id("b"), bytes("late"), version, late), "Replacing what is not there");
    if (other.append !== undefined) {
      await expectConflict(other.append(id("a"), bytes("late"), version + 1_000, late), "Appending to another version");
      await expectConflict(other.append(id("b"), bytes("late"), version, late), "Appending to what is not there");
    }
    const [row, ...more] = await find({ prefix });
    expectRow(row, id("a"), index);
    expectNames(more, [], stage);
    await expectText(store, id("a"), "a");
    await store.put(id("a"), bytes("second"), version, late);
  }),
];
