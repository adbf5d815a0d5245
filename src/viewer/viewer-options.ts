import type { Agent } from "../agents/agent.js";
import type { Handler } from "../callbacks/handler.js";
import type { Trace } from "../callbacks/trace.js";
import { checkOptions } from "../check-options.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { CompiledGraph } from "../compose/compiled-graph.js";
import { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import type { ModelPrice } from "../models/cost-of.js";
import { kindOf } from "../wording.js";
import type { Can } from "./api.js";
import type { Redact } from "./wire-value.js";

/** What the viewer shows: a compiled graph, chain or workflow, or an agent. */
export type App = CompiledGraph<never, unknown, unknown> | Agent<unknown>;

/** What a person may do. */
export interface Access {
  /** `look` shows everything, `answer` also answers questions, `act` also starts, stops and forks runs. */
  readonly can: Can;
  /** Who it is: `onAnswer` is told. */
  readonly user?: string | undefined;
}

/** An answer that is about to be recorded. */
export interface GivenAnswer {
  /** The key of the app; absent for a run of an unknown one. */
  readonly app: string | undefined;
  /** The run that asked. */
  readonly checkpointId: string;
  /** The id of the question. */
  readonly interrupt: string;
  /** What was answered. */
  readonly answer: unknown;
  /** Who answered: `user` of what `authorize` returned. */
  readonly user: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Options of {@link viewer}. */
export interface ViewerOptions {
  /** The apps that are shown, by a key of your choice. */
  readonly apps?: Readonly<Record<string, App>> | undefined;
  /** Stores beside those of the apps, by name. */
  readonly stores?: Readonly<Record<string, CheckpointStore>> | undefined;
  /** Prices by `provider/model`. Without one, no cost is shown. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Called for each value before it leaves the process. Keys such as `password` and `token` are masked before it. */
  readonly redact?: Redact | undefined;
  /** Called before an answer is recorded. A string refuses it (409, with that text); an error does too (500, without text). */
  onAnswer?(answer: GivenAnswer): void | string | Promise<string | undefined> | Promise<void>;
  /**
   * Called for every request but the page's own files: who it is and what they may do, or a response. `undefined`, or what
   * `user && { … }` gives without a user: 401.
   */
  authorize(request: Request): Access | Response | undefined | Promise<Access | Response | undefined>;
  /** The path below which it answers. @default "/" */
  readonly basePath?: string | undefined;
  /** The origin that browsers see, where a proxy changes it: `https://ops.example.com`. @default that of the request */
  readonly origin?: string | undefined;
}

/** A file that should have been a trace. */
export interface UnreadableTrace {
  readonly name: string;
  /** When it was written, in milliseconds since 1970. */
  readonly since: number;
  readonly error: KumikoError;
}

/** What `kumiko dev` has beside the options of `viewer`. */
export interface DevParts {
  /** Keeps the runs of apps without a store. @default in memory, until the process ends */
  readonly session?: CheckpointStore | undefined;
  /** Recorded runs, only to look at. */
  readonly traces?: readonly Trace[] | undefined;
  /** Files that should have been traces: each is a failed run with its error. */
  readonly unreadable?: readonly UnreadableTrace[] | undefined;
  /** Whether it takes the spans that `devtools()` sends. */
  readonly takesSpans?: boolean | undefined;
}

/** The viewer in a server. */
export interface Viewer {
  /** Answers a request for the page or its data. */
  fetch(request: Request): Promise<Response>;
  /** Shows runs as they happen: pass it as a handler of runs, graphs or a runtime. */
  readonly handler: Handler;
  /** Ends open streams, stops listening to stores, and stops what was started from the page: within 5 s. */
  close(): Promise<void>;
}

const isFunction = (value: unknown): boolean => typeof value === "function";

/** Throws `INVALID_OPTION`, before anything listens. */
export function checkViewerOptions(options: ViewerOptions): void {
  checkOptions("viewer", options, {
    apps: [isFields, "a record of apps by key"],
    stores: [isFields, "a record of stores by name"],
    prices: [isFields, "a record of prices by provider/model"],
    redact: [isFunction, "a function (value, path) => value"],
    onAnswer: [isFunction, "a function of an answer"],
    authorize: [isFunction, "a function of a request"],
    basePath: [(path) => typeof path === "string" && path.startsWith("/"), 'a path that begins with "/"'],
    origin: [isOrigin, "an origin such as https://ops.example.com"],
  });
  if (options.authorize === undefined)
    throw invalid('viewer needs the option authorize: (request) => ({ can: "look" }) for those who may look.');
  for (const [key, app] of Object.entries(options.apps ?? {})) {
    if (!isApp(app)) throw invalid(`apps.${key} of viewer must be a compiled graph or an agent (got ${kindOf(app)}).`);
  }
  for (const [name, store] of Object.entries(options.stores ?? {})) {
    if (!isFields(store) || !isFunction(store.get) || !isFunction(store.list))
      throw invalid(`stores.${name} of viewer must be a CheckpointStore (got ${kindOf(store)}).`);
  }
}

/** Whether `authorize` has returned who it is. */
export function isAccess(given: unknown): given is Access {
  const levels: readonly unknown[] = ["look", "answer", "act"];
  return isFields(given) && levels.includes(given.can);
}

function isApp(app: unknown): app is App {
  if (!isFields(app)) return false;
  const graph = isFields(app.graph) ? app.graph : app;
  return isFunction(graph.graphInfo) && isFunction(graph.invoke);
}

function isOrigin(value: unknown): boolean {
  try {
    return typeof value === "string" && new URL(value).origin === value;
  } catch {
    return false;
  }
}

const invalid = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);
