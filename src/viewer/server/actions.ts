import type { Handler } from "../../callbacks/handler.js";
import { randomId } from "../../callbacks/random-id.js";
import type { RunInfo } from "../../callbacks/run-info.js";
import { isInterrupt } from "../../checkpoint/pause/interrupt.js";
import { RunControl } from "../../compose/run-control.js";
import { isFields } from "../../is.js";
import { Refusal, textIn } from "./http.js";
import type { ShownApp } from "./shown-apps.js";
import type { ReadRun } from "./stored-runs.js";

type Body = Readonly<Record<string, unknown>>;

/** What has begun: the key of the run, and where it is saved. */
export interface Begun {
  readonly runKey: string | undefined;
  readonly checkpointId: string | undefined;
}

/** How long a failure to begin is waited for. */
const soonMs = 500;

/** Starts, resumes and copies runs. Each call returns when the run has begun; the run goes on by itself. */
export class Actions {
  readonly #handler: Handler;
  readonly #report: (error: unknown) => void;
  /** Of runs that were begun here, by checkpoint. */
  readonly #controls = new Map<string, RunControl>();

  constructor(handler: Handler, report: (error: unknown) => void) {
    this.#handler = handler;
    this.#report = report;
  }

  async start(app: ShownApp, body: Body): Promise<Begun> {
    const { agent, graph, row, store } = app;
    const watch = new FirstRun(this.#handler);
    if (agent !== undefined) {
      const { message, threadId } = isFields(body.input) ? body.input : {};
      if (typeof message !== "string" || message === "")
        throw new Refusal(400, "INVALID_REQUEST", "An agent takes a message.");
      const thread = typeof threadId === "string" && threadId !== "" ? threadId : undefined;
      const run = agent.generate(message, {
        callbacks: [watch],
        ...(store !== undefined && { threadId: thread ?? `${row.key}-${randomId().slice(0, 12)}` }),
      });
      return watch.begun(this.#detached(run), undefined);
    }
    const checkpointId = `${row.key}-${randomId().slice(0, 12)}`;
    const { control, options } = this.#controlled(checkpointId);
    const run = graph.invoke(body.input, { ...options, control, checkpointId, callbacks: [watch] });
    return watch.begun(this.#detached(run, checkpointId), checkpointId);
  }

  /** Goes on with a run, with answers if there are any. */
  async goOn(run: ReadRun, answers: Body | undefined): Promise<Begun> {
    const { app, row } = run;
    if (app === undefined) throw withoutApp(row.graph);
    const watch = new FirstRun(this.#handler);
    const { control, options } = this.#controlled(row.id);
    if (app.agent !== undefined) {
      const target = row.threadId === undefined ? row.id : { threadId: row.threadId };
      const resumed = app.agent.resume(target, answers, { ...options, control, callbacks: [watch] });
      return watch.begun(this.#detached(resumed, row.id), row.id);
    }
    const going = app.graph.segment(row.id, {
      ...options,
      control,
      callbacks: [watch],
      onBusy: "return",
      retry: true,
      ...(answers !== undefined && { answers }),
    });
    return watch.begun(this.#detached(going, row.id), row.id);
  }

  /** Copies a run as it was at a save, and goes on with the copy. */
  async fork(
    run: ReadRun,
    body: Body,
  ): Promise<{ readonly checkpointId: string; readonly threadId?: string | undefined }> {
    const { app, row } = run;
    if (app === undefined) throw withoutApp(row.graph);
    const states = isFields(body.states) ? body.states : {};
    const options = {
      ...(body.entry !== undefined && { entry: textIn(body, "entry") }),
      ...(isFields(body.outputs) && { outputs: body.outputs }),
      editState: (_state: unknown, path: string) => (Object.hasOwn(states, path) ? states[path] : undefined),
    };
    if (app.agent === undefined) return { checkpointId: await app.graph.fork(row.id, options) };
    return app.agent.fork(row.threadId === undefined ? row.id : { threadId: row.threadId }, options);
  }

  /** Asks a run that was begun here to stop. */
  stop(checkpointId: string): void {
    const control = this.#controls.get(checkpointId);
    if (control === undefined)
      throw new Refusal(409, "RUNS_ELSEWHERE", "The run was not begun here, so it cannot be stopped from here.");
    control.interrupt({ timeoutMs: 5_000 });
  }

  /** Stops all that was begun here. */
  close(): void {
    for (const control of this.#controls.values()) control.interrupt({ timeoutMs: 5_000 });
  }

  #controlled(id: string): { readonly control: RunControl; readonly options: object } {
    const control = new RunControl();
    this.#controls.set(id, control);
    return { control, options: {} };
  }

  /** Nobody waits for it: what it rejects with is reported, unless it was told to the caller. */
  #detached(run: Promise<unknown>, id?: string): Promise<unknown> {
    const over = (): void => void (id !== undefined && this.#controls.delete(id));
    run.then(over, (error: unknown) => {
      over();
      if (!isInterrupt(error)) this.#report(error);
    });
    return run;
  }
}

/** A handler that knows the first run that it is told of. */
class FirstRun implements Handler {
  readonly onStart: NonNullable<Handler["onStart"]>;
  readonly #first: Promise<string | undefined>;

  constructor(handler: Handler) {
    let resolve: (key: string | undefined) => void = () => undefined;
    this.#first = new Promise((done) => {
      resolve = done;
    });
    this.onStart = (info: RunInfo, value, span) => {
      resolve(info.meta?.runKey ?? info.runId);
      return handler.onStart?.(info, value, span);
    };
    for (const timing of ["onEnd", "onError", "onInterrupt", "onEvent"] as const) {
      Object.defineProperty(this, timing, {
        value: (info: RunInfo, value: unknown, span: unknown) => handler[timing]?.(info, value, span),
      });
    }
    for (const name of Object.getOwnPropertySymbols(Object.getPrototypeOf(handler))) {
      const method: unknown = Reflect.get(handler, name);
      if (typeof method === "function") Object.defineProperty(this, name, { value: method.bind(handler) });
    }
  }

  /** Resolves when the run has begun; rejects if it fails before, or soon after. */
  async begun(run: Promise<unknown>, checkpointId: string | undefined): Promise<Begun> {
    const done = run.then(
      () => undefined,
      (error: unknown) => {
        if (!isInterrupt(error)) throw error;
      },
    );
    const runKey = await Promise.race([this.#first, done.then(() => undefined)]);
    if (runKey !== undefined) void done.catch(() => undefined);
    else await Promise.race([done, new Promise((resolve) => setTimeout(resolve, soonMs))]);
    return { runKey, checkpointId };
  }
}

const withoutApp = (graph: string): Refusal =>
  new Refusal(409, "UNKNOWN_APP", `The graph "${graph}" is not among the apps, so nothing of it can run here.`);
