// What goes wrong with a run of a workflow is told in the words of workflows: its methods, and no options that it does not have.
import { type CheckpointStore, memoryStore } from "kumiko";
import type { WorkflowRun } from "kumiko/mastra";
import { describe, expect, it } from "vitest";
import { add, asking, registered, step, workflow } from "./workflows.js";

const answer = { resumeData: { ok: true } };

/** A workflow that asks, with a store of its own or the given one. */
const flowIn = (storage: CheckpointStore = memoryStore()) =>
  registered(workflow().then(asking("ask")) as never as ReturnType<typeof workflow>, { storage });

/** A store whose owners are alive, as they are in other processes, and what lies under the run. */
async function suspendedIn(storage: CheckpointStore) {
  const run = flowIn(storage).createRun({ runId: "1" });
  await run.start({ inputData: 1 });
  return run;
}

async function messageOf(code: string, work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code });
  const { message } = error as Error;
  expect(message).toContain('Run "1" of workflow "flow"');
  expect(message).not.toMatch(/forceNewRun|resume\("|checkpoint|the graph/i);
  return message;
}

describe("an error of a run names what can be done with the run", () => {
  it("that waits, and is started again", async () => {
    const run = await suspendedIn(memoryStore());
    const message = await messageOf("CHECKPOINT_PENDING", run.start({ inputData: 1 }));
    for (const way of ["run.resume({ step, resumeData })", "run.restart()", "run.cancel()", "createRun()"])
      expect(message).toContain(way);
    expect(await run.resume(answer)).toMatchObject({ status: "success" });
  });

  it("that is in progress, here or elsewhere", async () => {
    const run = await suspendedIn(memoryStore());
    const first = run.resume(answer);
    const second = await messageOf("CHECKPOINT_IN_USE", Promise.all([run.resume(answer), first]));
    expect(second).toContain("run.resume({ step, resumeData, takeover: true })");

    const gate = new EventTarget();
    const next = (name: string) => new Promise((resolve) => gate.addEventListener(name, resolve));
    const begun = next("begun");
    const storage = memoryStore();
    const slow = () => {
      const waiting = step("slow", () => {
        const open = next("open").then(() => 1);
        gate.dispatchEvent(new Event("begun"));
        return open;
      });
      return registered(workflow().then(waiting), { storage }).createRun({ runId: "1" });
    };
    const started = slow();
    const running = started.start({ inputData: 1 });
    await begun;
    expect(await messageOf("CHECKPOINT_IN_USE", slow().restart())).toContain("run.restart({ takeover: true })");
    expect(await messageOf("CHECKPOINT_IN_USE", slow().start({ inputData: 1 }))).toContain("createRun()");
    expect(await messageOf("CHECKPOINT_IN_USE", started.start({ inputData: 1 }))).not.toContain("takeover");
    gate.dispatchEvent(new Event("open"));
    expect((await running).status).toBe("success");
  });

  it("that is over", async () => {
    const run = await suspendedIn(memoryStore());
    await run.resume(answer);
    expect(await messageOf("UNKNOWN_CHECKPOINT", run.restart())).toContain("createRun()");
    expect(await messageOf("UNKNOWN_CHECKPOINT", run.resume(answer))).toContain("createRun()");
  });

  it("that the workflow no longer fits", async () => {
    const storage = memoryStore();
    await suspendedIn(storage);
    const other = registered(workflow().then(add("other")), { storage }) as never as ReturnType<typeof workflow>;
    const message = await messageOf("GRAPH_CHANGED", other.createRun({ runId: "1" }).restart());
    expect(message).toContain('node "ask"');
    expect(message).toContain("run.cancel()");
  });

  it("that cannot be read", async () => {
    const storage = memoryStore();
    await storage.put("flow/1", new TextEncoder().encode("?"), undefined);
    const run = flowIn(storage).createRun({ runId: "1" });
    const calls: ((run: WorkflowRun<never, unknown>) => Promise<unknown>)[] = [
      (one) => one.start({ inputData: 1 as never }),
      (one) => one.resume(answer),
      (one) => one.restart(),
    ];
    for (const call of calls) {
      const error = await call(run as never).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "CHECKPOINT_UNREADABLE" });
      expect((error as Error).message).toMatch(/^Run "1" of workflow "flow" .*run\.cancel\(\)/);
      expect((error as Error).message).not.toContain("forceNewRun");
    }
  });
});
