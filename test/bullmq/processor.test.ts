import { type Job, type JobsOptions, type Queue, UnrecoverableError, type Worker } from "bullmq";
import { type ErrorCode, KumikoError } from "kumiko";
import { type ProcessorOptions, processor, type QueueJob } from "kumiko/bullmq";
import type { DurableApp, SavedRun } from "kumiko/compose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeBackends } from "./backends.js";

type Call = { readonly target: unknown; readonly options: Readonly<Record<string, unknown>> };
type Answer = Partial<Omit<SavedRun, "status">> & { readonly status: SavedRun["status"] };

/** An app that answers its calls one after the other, the last answer again and again. */
function scripted(...answers: readonly (Answer | Error)[]): DurableApp & { readonly calls: Call[] } {
  const calls: Call[] = [];
  return {
    calls,
    segment: async (target, options = {}) => {
      const answer = answers[Math.min(calls.length, answers.length - 1)];
      calls.push({ target, options: { ...options } });
      if (answer instanceof Error) throw answer;
      const id = typeof target === "string" ? target : `~thread/${target.threadId}/run`;
      const now = new Date();
      const known = { id, graph: "order", startedAt: now, changedAt: now, attempts: 0, interrupts: [] };
      return { ...known, status: "finished", output: 1, ...answer } as SavedRun;
    },
  };
}

const finished = { status: "finished" } as const;
const failed = (code: ErrorCode, nodePath: string[] = []) =>
  ({ status: "failed", error: new KumikoError(code, `It is ${code}.`, { nodePath }) }) as const;

describeBackends("A BullMQ worker with processor", (backend) => {
  let number = 0;
  let name = "";
  let queue: Queue;
  const workers: Worker[] = [];
  beforeEach(() => {
    name = `runs-${++number}`;
    queue = backend().queue(name);
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
    await queue.close();
  });

  const start = (apps: Readonly<Record<string, DurableApp>>, options?: ProcessorOptions): Worker => {
    const worker = backend().worker(name, processor(apps, options));
    workers.push(worker);
    return worker;
  };
  const add = (data: object, options: JobsOptions = {}, app = "order"): Promise<Job> => queue.add(app, data, options);
  const ended = async ({ id = "" }: Job, after = 0) => {
    for (;;) {
      const job: Job | undefined = await queue.getJob(id);
      if (job?.finishedOn !== undefined && job.finishedOn >= after) return job;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it("runs the run that the job names, with its input, and returns its id and status", async () => {
    const order = scripted(finished);
    start({ order });
    const job = await ended(await add({ id: "order-7", input: { item: "book" } }));
    expect(job.returnvalue).toEqual({ id: "order-7", status: "finished" });
    const { target, options } = order.calls[0] ?? {};
    expect(target).toBe("order-7");
    expect(options).toMatchObject({ input: { item: "book" }, onBusy: "return", retry: false });
  });

  it("takes the id of the job where the data have none", async () => {
    const order = scripted(finished);
    start({ order });
    await ended(await add({ input: 1 }, { jobId: "order-8" }));
    expect(order.calls[0]?.target).toBe("order-8");
  });

  it("refuses an id that is a number, because queues count from 1 again", async () => {
    const order = scripted(finished);
    start({ order });
    const job = await ended(await add({ input: 1 }, { attempts: 3 }));
    expect(job.failedReason).toMatch(/the id of the job is a number/);
    expect(job.attemptsMade).toBe(1);
    expect(order.calls).toEqual([]);
  });

  it("passes no input when the job has none", async () => {
    const order = scripted(finished);
    start({ order });
    await ended(await add({ id: "order-7" }));
    expect(order.calls[0]?.options).not.toHaveProperty("input");
  });

  it("passes answers, and options of the worker", async () => {
    const order = scripted(finished);
    start({ order }, { options: (job: QueueJob) => ({ timeoutMs: 1_000, requestContext: { job: job.name } }) });
    await ended(await add({ id: "order-7", answers: { approve: true } }));
    expect(order.calls[0]?.options).toMatchObject({
      answers: { approve: true },
      timeoutMs: 1_000,
      requestContext: { job: "order" },
    });
  });

  it("runs a turn of an agent by thread and request", async () => {
    const clerk = scripted(finished);
    start({ clerk });
    await ended(await add({ threadId: "t", requestId: "r", userId: "u", input: "hello" }, {}, "clerk"));
    expect(clerk.calls[0]?.target).toEqual({ threadId: "t", requestId: "r" });
    expect(clerk.calls[0]?.options).toMatchObject({ userId: "u", input: "hello" });
  });

  it.each(["running", "ready"] as const)("looks again after a second at a run that is %s", async (status) => {
    const order = scripted({ status }, finished);
    start({ order });
    const begin = Date.now();
    const job = await ended(await add({ id: "order-7" }));
    expect(order.calls).toHaveLength(2);
    expect(Date.now() - begin).toBeGreaterThan(900);
    expect(job.returnvalue).toEqual({ id: "order-7", status: "finished" });
    expect(job.attemptsMade).toBeLessThanOrEqual(1); // what was delayed is no attempt
    expect(order.calls[1]?.options).toMatchObject({ retry: false });
  });

  it("finishes its job at a question", async () => {
    const order = scripted({ status: "waiting", interrupts: [{ id: "a", address: "a", info: "May I?" }] as never });
    start({ order });
    const job = await ended(await add({ id: "order-7" }));
    expect(job.returnvalue).toEqual({ id: "order-7", status: "waiting" });
  });

  it("looks again at a waiting run when its first deadline has passed", async () => {
    const deadline = Date.now() + 1_500;
    const interrupts = [
      { id: "a" },
      { id: "b", expiresAt: deadline + 60_000 },
      { id: "c", expiresAt: deadline },
    ] as never;
    const order = scripted({ status: "waiting", interrupts }, finished);
    start({ order });
    const job = await ended(await add({ id: "order-7" }));
    expect(job.finishedOn).toBeGreaterThanOrEqual(deadline);
    expect(order.calls).toHaveLength(2);
  });

  it("fails the job of a run that failed, and goes on with the run at the next attempt", async () => {
    const order = scripted(failed("NODE_FAILED", ["pay"]), finished);
    start({ order });
    const job = await ended(await add({ id: "order-7" }, { attempts: 3 }));
    expect(order.calls.map(({ options }) => options.retry)).toEqual([false, true]);
    expect(job.returnvalue).toEqual({ id: "order-7", status: "finished" });
  });

  it("keeps the run's error as the job's", async () => {
    start({ order: scripted(failed("NODE_FAILED", ["pay"])) });
    const job = await ended(await add({ id: "order-7" }, { attempts: 2 }));
    expect(job.attemptsMade).toBe(2);
    expect(job.failedReason).toBe("It is NODE_FAILED.");
  });

  it.each([
    ["was abandoned", failed("RUN_ABANDONED")],
    ["has an input that does not fit", failed("VALIDATION")],
    ["has a stream as its input, and is given none", failed("TYPE_MISMATCH")],
    ["does not exist", failed("UNKNOWN_CHECKPOINT").error],
    ["cannot take its answers", failed("ANSWER_MISMATCH").error],
    ["has a prompt that is none", failed("INVALID_MESSAGE")],
    ["has an id that cannot be used", failed("INVALID_KEY").error],
    ["belongs to another user", failed("THREAD_OF_OTHER_USER").error],
  ])("makes no further attempt at a run that %s", async (_name, answer) => {
    const order = scripted(answer);
    start({ order });
    const job = await ended(await add({ id: "order-7" }, { attempts: 3 }));
    expect(order.calls).toHaveLength(1);
    expect(job.failedReason).toMatch(/^It is /);
  });

  it("tries a run again whose store is away, or whose node found no input", async () => {
    const order = scripted(failed("STORE_FAILED").error, failed("VALIDATION", ["node"]), finished);
    start({ order });
    await ended(await add({ id: "order-7" }, { attempts: 3 }));
    expect(order.calls).toHaveLength(3);
  });

  it.each([
    ["an app that it does not have", "other", { id: "a" }, /There is no app "other".*Apps: "order"\./],
    ["a name of Object.prototype", "toString", { id: "a" }, /There is no app "toString"/],
    ["an id that is no string", "order", { id: 7 }, /id must be a string/],
    ["an empty id", "order", { id: "" }, /id must be a string that is not empty/],
    ["a field that it does not know", "order", { id: "a", item: "book" }, /"item" is unknown/],
    ["a thread without a request", "order", { threadId: "t" }, /a threadId needs a requestId/],
    ["a request without a thread", "order", { id: "a", requestId: "r" }, /need a threadId/],
    ["an id and a thread", "order", { id: "a", threadId: "t", requestId: "r" }, /exclude each other/],
    ["answers in a list", "order", { id: "a", answers: [true] }, /answers must be an object \(got an array\)/],
    ["data that are no object", "order", ["a"], /it must be an object \(got an array\)/],
  ])("fails a job for good that names %s", async (_name, app, data, message) => {
    const order = scripted(finished);
    start({ order });
    const job = await ended(await add(data, { attempts: 3 }, app));
    expect(job.failedReason).toMatch(message);
    expect(job.attemptsMade).toBe(1);
    expect(order.calls).toEqual([]);
  });

  it("hands the signal of cancelJob to the run", async () => {
    let seen: AbortSignal | undefined;
    const order: DurableApp = {
      segment: (_id, options) =>
        new Promise((_resolve, reject) => {
          seen = options?.signal;
          seen?.addEventListener("abort", () => reject(seen?.reason));
        }),
    };
    const worker = start({ order });
    const job = await add({ id: "order-7" });
    while (seen === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(worker.cancelJob(job.id ?? "", "no longer wanted")).toBe(true);
    expect((await ended(job)).finishedOn).toBeDefined();
    expect(seen.aborted).toBe(true);
  });
});

describe("processor", () => {
  it("throws if an app is not one", () => {
    expect(() => processor({ order: {} as never })).toThrow(/"order" of processor must be a compiled graph, an agent/);
    expect(() => processor([] as never)).toThrow(/must be an object of apps by name/);
  });

  it("throws if an option is unknown", () => {
    expect(() => processor({}, { concurrency: 3 } as never)).toThrow(/Unknown option "concurrency" of processor/);
  });

  it("keeps the error as the cause of what it throws", async () => {
    const cause = failed("RUN_ABANDONED").error;
    const job: QueueJob = { id: "a", name: "order", data: {}, attemptsMade: 0, moveToDelayed: async () => {} };
    const thrown: unknown = await processor({ order: scripted(cause) })(job).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UnrecoverableError);
    expect(thrown).toMatchObject({ cause });
  });
});
