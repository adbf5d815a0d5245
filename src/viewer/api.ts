import type { ComponentKind } from "../callbacks/component-kind.js";
import type { GraphInfo, ToolDescription } from "../callbacks/graph-info.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import type { Level } from "./layout/level.js";

/*
 * The JSON that the server of the viewer sends and takes. All paths are below `<basePath>/api/`. Errors are `Failure` with the
 * status of the response. GET: `about`, `apps/<key>`,
 * `apps/<key>/level?opened=<path>` (a `Level`; `?all`: nothing is folded), `runs?<RunsQuery>`, `runs/<ref>`, and of a run `level`, as
 * of an app, `runs/<ref>/spans?from=`, `runs/<ref>/saves?before=`, `runs/<ref>/state?entry=&path=`, `runs/<ref>/turns?before=<turn>`, `values/<id>`, `questions`, `live?after=<id>`. POST: `answer`,
 * `start`, `fork`, and `again`, `go-on`, `stop`, `cancel`, `retry`, each with a `RunTarget`.
 *
 * `kumiko dev` has more, which is there as long as the page is, also while the process of the app is not: `About.dev`, GET `dev`,
 * POST `restart` with `{}`, and the event `dev`. What needs the app is refused with 503 (`APP_ENDED`, `APP_STARTING`) then: what the
 * page has stays.
 */

/** What the person may do: `answer` includes `look`, `act` includes both. @internal */
export type Can = "look" | "answer" | "act";

export type RunStatus = "ready" | "running" | "waiting" | "stopped" | "failed" | "cancelled" | "finished";

// values

/**
 * A value as JSON. What JSON lacks is an object with `$`: what it is. An object of the user with a key `$` is
 * `{ $: "object", entries }`.
 */
export type WireValue = string | number | boolean | null | readonly WireValue[] | { readonly [key: string]: WireValue };

/** The members of {@link WireValue} that carry a `$`. */
export type Tagged =
  | { readonly $: "undefined" | "circular" | "masked" | "cut" }
  /** `bigint`, `symbol`, `function`, `date` (ISO), `number` (NaN, Infinity, -0), `url`, `regexp`, `stream`, `promise`. */
  | { readonly $: "text"; readonly kind: string; readonly text: string }
  | { readonly $: "bytes"; readonly kind: string; readonly size: number; readonly base64?: string }
  | { readonly $: "map"; readonly entries: readonly (readonly [WireValue, WireValue])[] }
  | { readonly $: "set"; readonly values: readonly WireValue[] }
  | { readonly $: "class"; readonly name: string; readonly fields: WireValue }
  | {
      readonly $: "error";
      readonly name: string;
      readonly message: string;
      readonly code?: string;
      readonly cause?: WireValue;
    }
  | { readonly $: "object"; readonly entries: readonly (readonly [string, WireValue])[] };

/** A value, or its beginning. */
export interface ValueView {
  readonly value: WireValue;
  /** About how long the whole is as JSON. */
  readonly size: number;
  /** Set if it was cut: `GET values/<more>` has all of it, up to 5 MB. */
  readonly more?: string;
}

// about and apps

/** `GET about` */
export interface About {
  readonly version: 1;
  readonly can: Can;
  readonly user?: string;
  readonly apps: readonly AppRow[];
  /** The names of the stores, as they appear in `RunRow.store`. */
  readonly stores: readonly string[];
  /** What to tell the person: runs that were dropped, apps that keep nothing after the process. */
  readonly notices: readonly string[];
  /** `live` is told everything: the page need not ask again each 5 s. */
  readonly isLive: boolean;
  /** Only of `kumiko dev`. */
  readonly dev?: DevState;
}

/** `GET dev`: the process in which the code of the user runs. */
export interface DevState {
  /** `silent`: it has not answered for 10 s, as in an endless loop. */
  readonly status: "starting" | "running" | "ended" | "silent";
  /** For a banner: why it ended, with the message of the error. */
  readonly message?: string;
  /** Where that was: `file:line`. */
  readonly place?: string;
  /** A file has changed while runs were open: offer `POST restart`, which ends them. */
  readonly hasChanged: boolean;
}

export interface AppRow {
  /** Its key in `apps`, for display and for `GET apps/<key>`. */
  readonly key: string;
  /** The name of its graph. */
  readonly name: string;
  readonly component: "graph" | "chain" | "workflow" | "agent";
  /** Whether it keeps runs, or only until the process ends. */
  readonly keeps: "store" | "session" | "none";
  readonly error?: string;
}

/** `GET apps/<key>` */
export interface AppView extends AppRow {
  readonly graph: GraphInfo;
  /** Where everything stands, so that the page has no layout of its own; absent for more than 2,000 nodes. */
  readonly level?: Level;
  /** Of an agent: its description; `"dynamic"` is what a function supplies. */
  readonly agent?: AgentView;
  /** The JSON Schema of its input, if it has one. Agents take a message and a thread. */
  readonly input?: JsonSchema;
}

export interface AgentView {
  readonly name: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly model?: string;
  readonly tools: "dynamic" | readonly ToolView[];
  readonly output?: JsonSchema;
  readonly handoffs: readonly string[] | "dynamic";
  readonly middleware: readonly string[];
  readonly maxSteps: number | "dynamic";
}

export type ToolView = ToolDescription;

// runs

/** The search parameters of `GET runs`. */
export interface RunsQuery {
  readonly status?: RunStatus;
  readonly app?: string;
  /** A part of the id, the app's name, the thread or the user. */
  readonly search?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** `GET runs`; newest first. */
export interface RunList {
  readonly runs: readonly RunRow[];
  /** For `after`: there are more. */
  readonly next?: string;
}

export interface RunRow {
  /** Identifies the run in all paths: the run key where it is known, else store and checkpoint. Opaque. */
  readonly ref: string;
  /** The checkpoint id; absent for a run that is not saved. */
  readonly checkpointId?: string;
  readonly store?: string;
  /** The name of its graph, and its app, if it is given. */
  readonly graph: string;
  readonly app?: string;
  readonly component?: "graph" | "chain" | "workflow" | "agent";
  readonly status: RunStatus;
  readonly startedAt?: number;
  /** When its status changed. */
  readonly since: number;
  /** The sum of its segments, without waits. Known if its spans are. */
  readonly activeMs?: number;
  readonly usage?: UsageView;
  readonly threadId?: string;
  readonly userId?: string;
  readonly owner?: string;
  readonly forkOf?: string;
  /** How many questions are open. */
  readonly questions?: number;
  readonly error?: ErrorView;
}

export interface UsageView {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  /** In US dollars, as far as there are prices. */
  readonly cost?: number;
  /** `provider/model` of models without a price. */
  readonly unpriced?: readonly string[];
}

export interface ErrorView {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly nodePath?: readonly string[];
  readonly cause?: ErrorView;
}

/** `GET runs/<ref>`, and the data of a saved page. With `values=0`, spans of a large run come without inputs and outputs. */
export interface RunView {
  readonly run: RunRow;
  /** The key in `graphs` of the run's graph; absent for an unknown graph. */
  readonly graph?: string;
  readonly graphs: Readonly<Record<string, GraphInfo>>;
  /** Where everything in its graph stands; absent for more than 2,000 nodes. */
  readonly level?: Level;
  /** The tools of each agent in the graph, by the path of the agent's node (`""` for the run itself). */
  readonly tools: Readonly<Record<string, readonly ToolView[]>>;
  /** When it ran: one per start and resume. All times are milliseconds since 1970. */
  readonly segments: readonly SegmentView[];
  /** By start. Empty for a run whose spans passed elsewhere. */
  readonly spans: readonly SpanView[];
  /** There are more spans, by `runs/<moreSpans>/spans?from=&to=&values=`. */
  readonly moreSpans?: string;
  /** How many there are together, where there are more. */
  readonly spanCount?: number;
  /** Oldest first, the newest 1,000; older ones by `saves?before=`. Absent without a history, then `noHistory` says why. */
  readonly saves?: readonly SaveView[];
  readonly noHistory?: string;
  readonly questions: readonly QuestionView[];
  /** Of a thread: its turns, oldest first; the newest 50, the rest by `turns?before=`. */
  readonly turns?: readonly TurnView[];
  readonly input?: ValueView;
  readonly output?: ValueView;
  /** What could not be read. */
  readonly errors: readonly string[];
  /** What a fork may edit, or why nothing can be forked. */
  readonly canFork: true | string;
  /** Chunks that a slow page has lost. */
  readonly lostChunks?: number;
}

export interface SegmentView {
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly status: "running" | "finished" | "waiting" | "failed";
}

export interface SpanView {
  readonly id: string;
  readonly parent?: string;
  /** Index into `segments`. */
  readonly segment: number;
  /** Keys of nodes from the run's graph, joined by `/`; `""` for the run itself. The node, for a span inside one. */
  readonly path: string;
  /** Of a tool call, and of what runs inside it. */
  readonly tool?: string;
  readonly toolCallId?: string;
  /** Index of an item of `each`. */
  readonly item?: number;
  readonly name: string;
  readonly component: ComponentKind;
  readonly type?: string;
  readonly address: string;
  readonly status: "running" | "done" | "waiting" | "failed";
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Counted from 1, for an attempt of a node that is retried. */
  readonly attempt?: number;
  readonly input?: ValueView;
  readonly output?: ValueView;
  /** Input and output were left out, as asked. */
  readonly isPartial?: true;
  readonly error?: ErrorView;
  readonly model?: string;
  readonly usage?: UsageView;
  /** `at` is milliseconds since the start of the span and the length of the text so far. */
  readonly chunks?: { readonly count: number; readonly at: readonly (readonly [ms: number, textLength: number])[] };
  readonly events: readonly { readonly at: number; readonly kind: string; readonly value?: ValueView }[];
  /** Of a graph that is the run of another one, such as an agent in a tool: its key in `graphs`. */
  readonly graph?: string;
}

/** `GET runs/<ref>/spans?from=<index>`; with `values=0`, without their inputs and outputs */
export interface SpanList {
  readonly spans: readonly SpanView[];
  readonly more: boolean;
}

export interface SaveView {
  readonly id: string;
  readonly at: number;
  readonly cause: "start" | "task" | "interrupt" | "failure" | "end" | "fork";
  readonly ran: readonly string[];
  readonly failed?: readonly string[];
  readonly next: readonly string[];
  readonly calls?: readonly string[];
  /** Ids of open questions. */
  readonly questions: readonly string[];
  /** What was asked, of a save that waits for answers. */
  readonly asked?: readonly AskedView[];
  readonly error?: string;
}

/** A question, whether it is open or was answered long ago. */
export type AskedView = Pick<QuestionView, "id" | "address" | "path" | "kind" | "key" | "info">;

/** `GET runs/<ref>/saves?before=<entry>` */
export interface SaveList {
  readonly saves: readonly SaveView[];
  readonly more: boolean;
}

/** `GET runs/<ref>/state?entry=<entry>&path=<path>` */
export interface StateView {
  readonly entry: string;
  readonly path: string;
  readonly input?: ValueView;
  readonly state?: ValueView;
  readonly output?: ValueView;
}

/** `GET runs/<ref>/turns?before=<turn>`: 50 turns, the oldest first */
export interface TurnList {
  readonly turns: readonly TurnView[];
  readonly more: boolean;
}

export interface TurnView {
  readonly turn: number;
  readonly status: string;
  readonly at?: number;
  readonly prompt: readonly WireValue[];
  readonly messages: readonly WireValue[];
}

// questions and answers

/** `GET questions`; oldest first. */
export interface QuestionList {
  readonly questions: readonly QuestionView[];
  /** Of rows that could not be read. */
  readonly errors: readonly { readonly ref: string; readonly message: string }[];
  /** The questions of only the 1,000 runs that wait longest are in it. */
  readonly more?: true;
}

export interface QuestionView {
  readonly id: string;
  readonly run: RunRow;
  readonly address: string;
  readonly path: string;
  /**
   * `approval`: the schema has `approved`, `info` the call; `stop`: a stop before or after a node, answered with `null`; `text`:
   * without a schema.
   */
  readonly kind: "approval" | "ask" | "stop" | "text";
  readonly key?: string;
  readonly info: ValueView;
  readonly schema?: JsonSchema;
  readonly tool?: ToolView;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly expiresAt?: number;
  /** What was said before, at most the last 10 messages; in `GET runs/<ref>` and for the first 50 questions. */
  readonly before?: readonly WireValue[];
}

/** `POST answer` */
export interface AnswerRequest {
  readonly ref: string;
  /** By the id of the question. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** One per form, so that pressing twice sends once. */
  readonly key: string;
}

/** 202 */
export interface AnswerResult {
  readonly run: RunRow;
  /** Whether the run goes on by itself; else a worker, or the button "Go on", does. */
  readonly goesOn: boolean;
}

/** `POST go-on`, `stop`, `cancel`, `retry`, `again` */
export interface RunTarget {
  readonly ref: string;
  readonly key: string;
}

/** `POST start` */
export interface StartRequest {
  readonly app: string;
  /** The input; of an agent `{ message, threadId? }`. */
  readonly input: unknown;
  readonly key: string;
}

/** `POST fork`: then the run is resumed, unless `resume` is false. */
export interface ForkRequest {
  readonly ref: string;
  readonly entry?: string;
  /** New states by the path of the graph, new outputs by the path of the node; `start` is the input. */
  readonly states?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly resume?: boolean;
  readonly key: string;
}

/** The answer to `start`, `fork` and the others: 202 */
export interface RunResult {
  readonly run: RunRow;
}

/** The body of each response of 400 and more. */
export interface Failure {
  readonly error: {
    readonly code: string;
    readonly message: string;
    /** Of an answer: the question and the path of the field that does not fit. */
    readonly fields?: readonly {
      readonly question: string;
      readonly path: readonly (string | number)[];
      readonly message: string;
    }[];
  };
}

// live

/** A line of `GET live?after=<id>`, which is JSON lines. An empty line is sent each 15 s. */
export type LiveEvent =
  /** The first line. `isComplete: false`: what happened since `after` is gone, so load everything again. */
  | { readonly type: "open"; readonly id: number; readonly isComplete: boolean }
  | { readonly type: "run"; readonly id: number; readonly run: RunRow }
  /** A span that started, changed or ended. */
  | { readonly type: "span"; readonly id: number; readonly ref: string; readonly span: SpanView }
  /** A text that a model streams. */
  | {
      readonly type: "chunk";
      readonly id: number;
      readonly ref: string;
      readonly span: string;
      readonly at: number;
      readonly text: string;
    }
  | {
      readonly type: "segment";
      readonly id: number;
      readonly ref: string;
      readonly index: number;
      readonly segment: SegmentView;
    }
  /** Questions were asked or answered: load them again. */
  | { readonly type: "questions"; readonly id: number }
  | { readonly type: "notice"; readonly id: number; readonly text: string }
  /** So many chunks were not sent, because the page read too slowly. */
  | { readonly type: "lost"; readonly id: number; readonly chunks: number }
  /** Of `kumiko dev`: the process of the app has started, ended, or is silent. Its `id` is -1. */
  | { readonly type: "dev"; readonly id: number; readonly state: DevState }
  /** The last line: ask again. */
  | { readonly type: "end"; readonly id: number };
