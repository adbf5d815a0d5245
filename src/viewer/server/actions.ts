import type { Agent } from "../../agents/agent.js";
import type { Prompt } from "../../agents/call-options.js";
import { threads } from "../../agents/threads/threads.js";
import { turnOfRunId } from "../../agents/threads/turn-row.js";
import type { Handler } from "../../callbacks/handler.js";
import { randomId } from "../../callbacks/random-id.js";
import type { RunInfo } from "../../callbacks/run-info.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { RunOptions } from "../../compose/options.js";
import { RunControl } from "../../compose/run-control.js";
import type { SavedRun } from "../../compose/segment.js";
import { isFields } from "../../is.js";
import { Refusal, textIn } from "./http.js";
import type { ShownApp } from "./shown-apps.js";
import type { ReadRun } from "./stored-runs.js";

type Body = Readonly<Record<string, unknown>>;
type Whose = { readonly threadId?: string; readonly userId?: string };

/** What has begun: the key of the run, and where it is saved. */
export interface Begun {
  readonly runKey: string | undefined;
  readonly checkpointId: string | undefined;
}

/** How long a failure to begin is waited for. */
const soonMs = 500;
const stopMs = 5_000;

/** Starts, resumes and copies runs. Each call returns when the run has begun; the run goes on by itself. */
export class Actions {
  readonly #handler: Handler;
  readonly #report: (error: unknown) => void;
  /** Of runs that were begun here, by checkpoint. */
  readonly #controls = new Map<string, RunControl>();
  readonly #open = new Set<Promise<unknown>>();

  constructor(handler: Handler, report: (error: unknown) => void) {
    this.#handler = handler;
    this.#report = report;
  }

  /** How many runs that were begun here have not ended. */
  get openRuns(): number {
    return this.#open.size;
  }

  /** Starts a run with an input; of an agent with `{ message, threadId? }`, or with messages. */
  async start(app: ShownApp, input: unknown): Promise<Begun> {
    const { agent, graph, row } = app;
    const id = newId(row.key);
    if (agent === undefined) return this.#begin(id, (options) => graph.invoke(input, { ...options, checkpointId: id }));
    const { message, threadId } = isFields(input) ? input : {};
    const prompt = Array.isArray(input) ? input : message;
    if (prompt === undefined || prompt === "") throw new Refusal(400, "INVALID_REQUEST", "An agent takes a message.");
    return this.#ask(app, agent, prompt as Prompt, typeof threadId === "string" && threadId !== "" ? { threadId } : {});
  }

  /** Starts a run with the input of another one. A turn of a thread is asked again in a thread that has the turns before it. */
  async again({ app, store, row: { id, graph, userId } }: ReadRun): Promise<Begun> {
    if (app === undefined) throw withoutApp(graph);
    const { input } = await app.graph.stateAt(id);
    if (input === undefined) throw new Refusal(409, "NO_INPUT", "The input of the run is not kept.");
    if (app.agent === undefined) return this.start(app, input);
    const threadId = await threadBefore(store, id);
    return this.#ask(app, app.agent, input as Prompt, {
      ...(threadId !== undefined && { threadId }),
      ...(userId !== undefined && { userId }),
    });
  }

  #ask(app: ShownApp, agent: Agent<unknown>, prompt: Prompt, of: Whose): Promise<Begun> {
    const thread = app.store === undefined ? {} : { threadId: newId(app.row.key), ...of };
    return this.#begin(undefined, (options) => agent.generate(prompt, { ...options, ...thread }));
  }

  /** Goes on with a run, as far as it can: an answer was recorded, or it was cut off. */
  async goOn({ app, row }: Pick<ReadRun, "app" | "row">): Promise<Begun> {
    if (app === undefined) throw withoutApp(row.graph);
    const { agent, graph } = app;
    return this.#begin(row.id, (given) => {
      const options = { ...given, onBusy: "return" } as const;
      return untilTaken(() => (agent === undefined ? graph.segment(row.id, options) : agent.segment(row.id, options)));
    });
  }

  /** Copies a run as it was at a save. */
  async fork({ app, row }: ReadRun, body: Body): Promise<{ readonly checkpointId: string }> {
    if (app === undefined) throw withoutApp(row.graph);
    const states = isFields(body.states) ? body.states : {};
    const options = {
      ...(body.entry !== undefined && { entry: textIn(body, "entry") }),
      ...(isFields(body.outputs) && { outputs: body.outputs }),
      editState: (_state: unknown, path: string) => (Object.hasOwn(states, path) ? states[path] : undefined),
    };
    if (app.agent === undefined) return { checkpointId: await app.graph.fork(row.id, options) };
    return app.agent.fork(row.id, options);
  }

  /** Asks a run that was begun here to stop. */
  stop(checkpointId: string): void {
    const control = this.#controls.get(checkpointId);
    if (control === undefined)
      throw new Refusal(409, "RUNS_ELSEWHERE", "The run was not begun here, so it cannot be stopped from here.");
    control.interrupt({ timeoutMs: stopMs });
  }

  /** Stops all that was begun here, and waits until it has stopped: not much longer than 5 s. */
  async close(): Promise<void> {
    for (const control of this.#controls.values()) control.interrupt({ timeoutMs: stopMs });
    if (this.#open.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, stopMs + 1_000);
    });
    await Promise.race([Promise.allSettled(this.#open), late]);
    clearTimeout(timer);
  }

  #begin(id: string | undefined, run: (options: RunOptions) => Promise<unknown>): Promise<Begun> {
    const control = new RunControl();
    const own: string[] = [];
    const add = (checkpointId: string | undefined): void => {
      if (checkpointId === undefined || own.includes(checkpointId)) return;
      own.push(checkpointId);
      this.#controls.set(checkpointId, control);
    };
    add(id);
    const watch = new FirstRun(this.#handler, add);
    const running = run({ control, callbacks: [watch] });
    this.#open.add(running);
    const over = (): void => {
      this.#open.delete(running);
      for (const one of own) if (this.#controls.get(one) === control) this.#controls.delete(one);
    };
    running.then(over, (error: unknown) => {
      over();
      if (!isInterrupt(error) && !watch.isTold) this.#report(error);
    });
    return watch.begun(running, id);
  }
}

/** A handler that knows the first run that it is told of. */
class FirstRun implements Handler {
  readonly onStart: NonNullable<Handler["onStart"]>;
  /** Whether the caller was told that it failed. */
  isTold = false;
  readonly #first: Promise<Begun>;

  constructor(handler: Handler, add: (checkpointId: string | undefined) => void) {
    let resolve: (first: Begun) => void = () => undefined;
    this.#first = new Promise((done) => {
      resolve = done;
    });
    this.onStart = (info: RunInfo, value, span) => {
      if (info.parentRunId === undefined) {
        const { runKey = info.runId, checkpointId } = info.meta ?? {};
        add(checkpointId);
        resolve({ runKey, checkpointId });
      }
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
    done.catch(() => undefined);
    try {
      const first = await Promise.race([this.#first, done]);
      if (first !== undefined) return { runKey: first.runKey, checkpointId: first.checkpointId ?? checkpointId };
      let timer: ReturnType<typeof setTimeout> | undefined;
      const soon = new Promise((resolve) => {
        timer = setTimeout(resolve, soonMs);
      });
      await Promise.race([done, soon]);
      clearTimeout(timer);
      return { runKey: undefined, checkpointId };
    } catch (error) {
      this.isTold = true;
      throw error;
    }
  }
}

/** Another call may hold the run for a moment, only to find that it was answered: then nobody would go on with it. */
async function untilTaken(segment: () => Promise<SavedRun<unknown>>): Promise<SavedRun<unknown>> {
  for (let tries = 1; ; tries++) {
    const run = await segment();
    if ((run.status !== "ready" && run.status !== "running") || tries === mostTries) return run;
    await new Promise((resolve) => setTimeout(resolve, heldMs));
  }
}

const mostTries = 10;
const heldMs = 100;

const newId = (key: string): string => `${key}-${randomId().slice(0, 12)}`;

/** A copy of a thread up to the turn before that of a run; `undefined` if there is none. */
async function threadBefore(store: CheckpointStore, runId: string): Promise<string | undefined> {
  const turn = turnOfRunId(runId);
  if (turn === undefined) return undefined;
  let before: number | undefined;
  for await (const { number } of threads(store).turns(turn.id)) if (number < turn.number) before = number;
  return before === undefined ? undefined : threads(store).fork(turn.id, { turn: before });
}

const withoutApp = (graph: string): Refusal =>
  new Refusal(409, "UNKNOWN_APP", `The graph "${graph}" is not among the apps, so nothing of it can run here.`);
