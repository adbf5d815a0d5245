import type { RunQuery, RunStatus } from "../../checkpoint/runs/run-index.js";
import { KumikoError } from "../../errors.js";
import { type ConformanceCheck, expectSame, rejectionOf } from "../conformance.js";
import { differs } from "../errors.js";
import { type CheckRuns, expectNames, type FindRuns, putRun, readyIndex, runsCheck } from "./run-stage.js";
import { bytes, type StoreChecks } from "./store-stage.js";

/** Checks of queries. A store without `runs` passes them. */
export const runQueryChecks = (check: StoreChecks): ConformanceCheck[] => {
  const checkRuns = runsCheck(check);
  return [...matchChecks(checkRuns), ...orderChecks(checkRuns), ...optionChecks(checkRuns)];
};

const matchChecks = (check: CheckRuns): ConformanceCheck[] => [
  check("finds runs by a value, or by any of a list of values", async (stage, find) => {
    const { prefix } = stage;
    await putRun(stage, "1", readyIndex(1, { userId: "ann", owner: "host/1" }));
    await putRun(stage, "2", readyIndex(2, { status: "waiting", userId: "bob", graph: "clerk" }));
    await putRun(stage, "3", readyIndex(3, { status: "running", owner: "host/2", graph: "clerk" }));
    await putRun(stage, "4", readyIndex(4, { status: "failed", graph: "order@2" }));
    const wanted: [RunQuery, string[]][] = [
      [{}, ["1", "2", "3", "4"]],
      [{ status: "ready" }, ["1"]],
      [{ status: ["failed", "waiting", "failed"] }, ["2", "4"]],
      [{ status: [] }, []],
      [{ graph: "order" }, ["1"]],
      [{ graph: ["order", "order@2", "none"] }, ["1", "4"]],
      [{ owner: "host/2" }, ["3"]],
      [{ owner: ["host/1", "host/2"] }, ["1", "3"]],
      [{ owner: [] }, []],
      [{ userId: "ann" }, ["1"]],
      [{ userId: ["ann", "bob"], status: ["ready", "waiting"], graph: "clerk" }, ["2"]],
      [{ userId: "ann", status: "waiting" }, []],
      [{ status: undefined, graph: undefined, owner: undefined, userId: undefined }, ["1", "2", "3", "4"]],
    ];
    for (const [query, names] of wanted) expectNames(await find({ prefix, ...query }), names, stage);
  }),
  check("finds runs by the start of their id, or of their thread if they have one", async (stage, find) => {
    const { store, id, prefix } = stage;
    for (const [at, name] of ["a%", "a_1", "A", "a", "b/1", "😀1"].entries()) await putRun(stage, name, readyIndex(at));
    const threadId = id("a of a thread");
    await store.put(`~thread/${id("turn")}`, bytes("turn"), undefined, readyIndex(9, { threadId }));
    await putRun(stage, "b of a thread", readyIndex(10, { threadId: `elsewhere/${threadId}` }));
    const found = (start: string) => find({ prefix: prefix + start });
    expectNames(await found("a"), ["a%", "a_1", "a", "~thread/turn"], stage);
    expectNames(await found("a%"), ["a%"], stage);
    expectNames(await found("a_"), ["a_1"], stage);
    expectNames(await found("b"), ["b/1"], stage);
    expectNames(await found("😀"), ["😀1"], stage);
    expectNames(await found("%"), [], stage);
    expectNames(await find({ prefix: `~thread/${prefix}` }), [], stage);
    await store.delete(`~thread/${id("turn")}`);
  }),
  check("finds runs whose deadline is before a time", async (stage, find) => {
    const { prefix } = stage;
    await putRun(stage, "none", readyIndex(1, { status: "waiting" }));
    await putRun(stage, "late", readyIndex(2, { status: "waiting", due: 2_000 }));
    await putRun(stage, "early", readyIndex(3, { status: "waiting", due: 1_000 }));
    await putRun(stage, "running", readyIndex(4, { status: "running", due: 500 }));
    expectNames(await find({ prefix, dueBefore: 1_000 }), ["running"], stage);
    expectNames(await find({ prefix, dueBefore: 1_001 }), ["early", "running"], stage);
    expectNames(await find({ prefix, dueBefore: 9_000, status: "waiting" }), ["late", "early"], stage);
    expectNames(await find({ prefix, dueBefore: 9_000, limit: 1 }), ["late"], stage);
    expectNames(await find({ prefix, dueBefore: 9_000, status: [] }), [], stage);
  }),
];

const orderChecks = (check: CheckRuns): ConformanceCheck[] => [
  check("lists runs in ascending order of since, then of the code points of their ids", async (stage, find) => {
    const ascending = ["", "10", "9", "B", "a", "ä", "\uff5e", "\u{1f600}"];
    const statuses: RunStatus[] = ["ready", "waiting", "finished"];
    for (const since of [30, 7, 200])
      for (const [at, name] of ascending.toReversed().entries())
        await putRun(stage, `${name}/${since}`, readyIndex(since, { status: statuses[at % 3] ?? "ready" }));
    const names = [7, 30, 200].flatMap((since) => ascending.map((name) => `${name}/${since}`));
    expectNames(await find({ prefix: stage.prefix }), names, stage);
    expectNames(await find({ prefix: stage.prefix, status: statuses, limit: 9 }), names.slice(0, 9), stage);
  }),
  check("lists the runs after another one, so that each is on one page", async (stage, find) => {
    const statuses: RunStatus[] = ["ready", "waiting"];
    for (let at = 0; at < 25; at++)
      await putRun(stage, String(at).padStart(2, "0"), readyIndex(at >> 2, { status: statuses[at & 1] ?? "ready" }));
    const all = (await find({ prefix: stage.prefix })).map(({ id }) => id);
    expectSame(all.length, 25, "The number of runs found");
    for (const status of [undefined, "ready", statuses] as const) {
      const ids = await pagesOf(find, { prefix: stage.prefix, status, limit: 3 });
      const wanted = all.filter((_, at) => status !== "ready" || at % 2 === 0);
      expectSame(JSON.stringify(ids), JSON.stringify(wanted), `The ids of all pages of ${JSON.stringify(status)}`);
    }
    const [first] = await find({ prefix: stage.prefix, limit: 1 });
    if (first === undefined) throw differs("The first run", undefined, "a run");
    await stage.store.delete(first.id);
    expectSame(
      (await find({ prefix: stage.prefix, after: first })).length,
      24,
      "The number of runs after a deleted one",
    );
  }),
  check("lists 100 runs unless the query has another limit", async (stage, find) => {
    const { prefix } = stage;
    for (let at = 0; at < 130; at++) await putRun(stage, String(at), readyIndex(at));
    for (const [limit, length] of [
      [undefined, 100],
      [1, 1],
      [101, 101],
      [10_000, 130],
    ] as const)
      expectSame((await find({ prefix, limit })).length, length, `The number of runs found with limit ${limit}`);
  }),
];

const optionChecks = (check: CheckRuns): ConformanceCheck[] => [
  check("rejects an invalid query with INVALID_OPTION", async (_stage, find) => {
    const invalid: unknown[] = [
      { limit: 0 },
      { limit: 1.5 },
      { limit: "7" },
      { status: "done" },
      { status: ["ready", "done"] },
      { graph: 7 },
      { owner: [undefined] },
      { userId: null },
      { prefix: 7 },
      { dueBefore: "tomorrow" },
      { after: "order-7" },
      { before: 7 },
    ];
    for (const query of invalid) {
      const error = await rejectionOf(find(query as RunQuery), `runs(${JSON.stringify(query)})`);
      if (KumikoError.is(error) && error.code === "INVALID_OPTION") continue;
      throw differs(`The rejection of runs(${JSON.stringify(query)})`, error, "a KumikoError of code INVALID_OPTION");
    }
  }),
];

/** The ids of all pages, one after another. */
async function pagesOf(find: FindRuns, query: RunQuery): Promise<string[]> {
  const ids: string[] = [];
  let page = await find(query);
  while (page.length > 0 && ids.length < 1_000) {
    ids.push(...page.map(({ id }) => id));
    page = await find({ ...query, after: page.at(-1) });
  }
  return ids;
}
