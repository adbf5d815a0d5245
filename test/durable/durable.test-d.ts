import { Chain, type Runtime } from "kumiko";
import type { Agent } from "kumiko/agents";
import type { CheckpointStore, RunRow, SavedRun } from "kumiko/compose";
import { runs, startWorker } from "kumiko/durable";
import { expectTypeOf, it } from "vitest";

declare const store: CheckpointStore;
declare const clerk: Agent<string>;
declare const runtime: Runtime;

const order = new Chain<{ boxes: number }>().append(({ boxes }) => boxes * 2).compile({ name: "order", store });
const apps = { order, clerk };

it("types the input of enqueue by the apps", () => {
  const list = runs<typeof apps>(store);
  expectTypeOf(list.enqueue("order", { boxes: 2 }, { id: "7" })).resolves.toEqualTypeOf<{
    readonly id: string;
    readonly created: boolean;
  }>();
  // @ts-expect-error the input of another graph
  list.enqueue("order", { bottles: 2 });
  // @ts-expect-error no such app
  list.enqueue("orders", { boxes: 2 });
  // @ts-expect-error a turn is not enqueued
  list.enqueue("clerk", "hello");
  // @ts-expect-error the id is a string
  list.enqueue("order", { boxes: 2 }, { id: 7 });
});

it("takes any name and input without apps", () => {
  runs(store, { prefix: "tenant/", runtime }).enqueue("order", 5);
  // @ts-expect-error an input is needed, undefined too
  runs(store).enqueue("order");
});

it("types what it returns", () => {
  const list = runs(store);
  expectTypeOf(list.get("7")).resolves.toEqualTypeOf<SavedRun | undefined>();
  expectTypeOf(list.answer("7", { q: 1 }, { goOn: true })).resolves.toEqualTypeOf<SavedRun>();
  expectTypeOf(list.list({ status: ["ready", "waiting"] })).toEqualTypeOf<AsyncIterable<RunRow>>();
  // @ts-expect-error no status
  list.list({ status: "done" });
  // @ts-expect-error only those that wait have questions
  list.questions({ status: "ready" });
  // @ts-expect-error an age is needed
  list.sweep({ failedMs: 5 });
});

it("takes graphs as apps of a worker", () => {
  startWorker(
    { order },
    {
      concurrency: 5,
      options: (row) => ({ timeoutMs: row.since, requestContext: { tenant: row.id } }),
      onError: (error, row) => console.error(error, row?.id),
    },
  );
  // @ts-expect-error a function is not an app
  startWorker({ order: (text: string) => text });
  // @ts-expect-error a worker decides where a run is saved
  startWorker(apps, { options: () => ({ checkpointId: "7" }) });
});
