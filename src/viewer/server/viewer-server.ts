import type { GraphInfo } from "../../callbacks/graph-info.js";
import type { Handler } from "../../callbacks/handler.js";
import type { Runtime } from "../../compose/runtime.js";
import { runs } from "../../durable/runs.js";
import { messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import type { About, AnswerResult, Can, QuestionList, QuestionView, RunResult, RunRow } from "../api.js";
import { graphPicture } from "../layout/graph-picture.js";
import type { Level } from "../layout/level.js";
import { type Access, type DevParts, isAccess, type ViewerOptions } from "../viewer-options.js";
import { fieldsOf, withoutSecrets } from "../wire-value.js";
import { Actions, type Begun } from "./actions.js";
import { announceAnswers, checkAnswers } from "./answers.js";
import { EventRing } from "./event-ring.js";
import { bodyOf, checkSender, failure, json, Refusal, respond, textIn } from "./http.js";
import { type ListParts, listRuns } from "./list-runs.js";
import { LiveRuns } from "./live-runs.js";
import type { LiveRun, LiveSpan } from "./live-span.js";
import { OnceEach } from "./once-each.js";
import { notFound, PageFiles } from "./page-files.js";
import { RecordedRuns } from "./recorded-runs.js";
import { infoOf, type KnownRun, liveRef, RunViews, segmentView, storedRef } from "./run-views.js";
import { appView, type Shown, shownApps } from "./shown-apps.js";
import { ForeignSpans, type SpansRequest } from "./span-messages.js";
import { spanRange } from "./span-page.js";
import { isUnreadable, type ReadRun, StoredRuns } from "./stored-runs.js";
import { turnViews } from "./turn-views.js";
import { ValueViews } from "./value-views.js";

const levels: readonly Can[] = ["look", "answer", "act"];
const withTalk = 50;
const limits = { runs: 500, bytes: 256_000_000 };
const mostQuestions = 1_000;
const readAtOnce = 16;
const longestSpans = 20_000_000;

type Body = Readonly<Record<string, unknown>>;

/** The routes of the viewer. */
export class ViewerServer {
  readonly #options: ViewerOptions;
  readonly #base: string;
  readonly #shown: Shown;
  readonly #ring = new EventRing();
  readonly #live: LiveRuns;
  readonly #stored: StoredRuns;
  readonly #values = new ValueViews();
  readonly #views: RunViews;
  readonly #actions: Actions;
  readonly #once = new OnceEach();
  readonly #unlisten: (() => void)[] = [];
  readonly #notices = new Set<string>();
  readonly #files: PageFiles;
  readonly #recorded: RecordedRuns;
  readonly #takesSpans: boolean;
  readonly #foreign: ForeignSpans;
  #dropped = 0;

  constructor(options: ViewerOptions, { session, traces = [], unreadable = [], takesSpans = false }: DevParts = {}) {
    const { basePath = "/", redact, prices } = options;
    this.#options = options;
    this.#base = basePath.endsWith("/") ? basePath : `${basePath}/`;
    this.#shown = shownApps(options, session);
    this.#files = new PageFiles(this.#base);
    this.#takesSpans = takesSpans;
    this.#recorded = new RecordedRuns({ traces, unreadable }, { redact, prices, show: this.#values.view });
    this.#stored = new StoredRuns(this.#shown);
    this.#live = new LiveRuns(
      {
        onSpan: (run, span) => this.#spanChanged(run, span),
        onChunk: (run, span, at, text) => {
          if (!this.#ring.isIdle()) this.#ring.push({ type: "chunk", ref: this.#refOf(run), span: span.id, at, text });
        },
        onDrop: (count) => this.#ranOut(count),
      },
      redact,
      limits,
    );
    this.#foreign = new ForeignSpans(this.#live);
    this.#views = new RunViews({ values: this.#values, prices, redact, stored: this.#stored });
    this.#actions = new Actions(this.#live, (error) =>
      this.#notice(`A run has failed: ${withoutSecrets(messageOf(error))}`),
    );
    for (const [name, store] of this.#shown.stores) {
      const unlisten = store.changes?.((row) => {
        if (row === undefined || row.status === "waiting") this.#ring.push({ type: "questions" });
        if (row !== undefined)
          this.#ring.push(() => ({
            type: "run",
            run: this.#views.storedRow({ storeName: name, store, row, app: this.#appOf(row.graph) }),
          }));
      });
      if (unlisten !== undefined) this.#unlisten.push(unlisten);
    }
    if (this.#shown.apps.some(({ row }) => row.keeps === "session"))
      this.#notices.add("Runs of apps without a store are kept until the process ends.");
  }

  get handler(): Handler {
    return this.#live;
  }

  /** How many runs that were started from the page have not ended. */
  get openRuns(): number {
    return this.#actions.openRuns;
  }

  async close(): Promise<void> {
    this.#ring.close();
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    await this.#actions.close();
  }

  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#route(request);
    } catch (error) {
      return failure(error);
    }
  }

  async #route(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (`${url.pathname}/` === this.#base) return redirect(this.#base);
    if (!url.pathname.startsWith(this.#base)) throw notFound();
    const path = url.pathname.slice(this.#base.length);
    const isPost = request.method === "POST";
    if (!isPost && request.method !== "GET" && request.method !== "HEAD")
      throw new Refusal(405, "METHOD", "GET or POST.");
    if (!path.startsWith("api/")) return this.#files.get(path);
    if (isPost) checkSender(request, this.#options.origin ?? url.origin);
    const access = await this.#accessOf(request);
    if (access instanceof Response) return access;
    const parts = path.slice("api/".length).split("/").map(decodePart);
    if (!isPost) return this.#get(parts, url.searchParams, access);
    if (this.#takesSpans && parts[0] === "spans") return this.#takeSpans(await bodyOf(request, longestSpans));
    return this.#post(parts, await bodyOf(request), access);
  }

  async #accessOf(request: Request): Promise<Access | Response> {
    const given = await this.#authorized(request);
    if (given instanceof Response) return given;
    // what `user && { … }` gives without a user
    if (!given) throw new Refusal(401, "UNAUTHORIZED", "Sign in first.");
    if (isAccess(given)) return given;
    throw new Refusal(
      500,
      "INVALID_OPTION",
      `authorize of viewer must return { can: "look" | "answer" | "act" }, a Response, or undefined for nobody (got ${kindOf(given)}${isFields(given) ? " without such a can" : ""}).`,
    );
  }

  /** An error of the option may say what nobody should read, whatever its class. */
  async #authorized(request: Request): Promise<unknown> {
    try {
      return await this.#options.authorize(request);
    } catch {
      throw new Refusal(500, "FAILED", "Something went wrong in the server.");
    }
  }

  async #get(parts: readonly string[], search: URLSearchParams, access: Access): Promise<Response> {
    const [what = "", id, more] = parts;
    if (what === "about") return json(this.#about(access));
    if (what === "questions") return json(await this.#questions());
    if (what === "live") return this.#follow(search);
    if (what === "runs" && id === undefined) return json(await listRuns(search, await this.#listed()));
    if (what === "apps" && id !== undefined) {
      const app = this.#app(id);
      if (more === "level") return json(levelIn(app.info, search));
      return json(appView(app));
    }
    if (what === "values" && id !== undefined) {
      const value = this.#values.whole(id);
      if (value === undefined) throw new Refusal(404, "GONE", "The value is not kept any more. Load the run again.");
      return json(value);
    }
    if (what !== "runs" || id === undefined) throw notFound();
    return json(await this.#ofRun(id, more, search));
  }

  async #ofRun(ref: string, what: string | undefined, search: URLSearchParams): Promise<object | null> {
    if (this.#recorded.has(ref)) {
      if (what === "spans") return this.#recorded.spans(ref, spanRange(search));
      const view = this.#recorded.view(ref, spanRange(search));
      if (view !== undefined && what === "level") return levelIn(view.graphs[view.graph ?? ""], search);
      if (view !== undefined && what === undefined) return view;
    }
    const run = await this.#known(ref);
    if (what === undefined) return this.#views.view(run, spanRange(search));
    if (what === "level") return levelIn(infoOf(run), search);
    if (what === "spans")
      return run.live === undefined ? { spans: [], more: false } : this.#views.spans(run.live, spanRange(search));
    if (run.stored === undefined) throw new Refusal(404, "NOT_SAVED", "The run is not saved.");
    const before = search.get("before");
    if (what === "saves") return this.#views.saves(run.stored, before ?? "");
    if (what === "turns")
      return turnViews(run.stored, Number(before ?? Number.POSITIVE_INFINITY), this.#options.redact);
    if (what !== "state") throw notFound();
    return this.#views.state(run.stored, search.get("entry") ?? undefined, search.get("path") ?? "");
  }

  #about({ can, user }: Access): About {
    const notices = [...this.#notices];
    if (this.#dropped > 0)
      notices.push(`${this.#dropped} older runs are not shown live any more: 500 runs or 256 MB are kept.`);
    return {
      version: 1,
      can,
      ...(user !== undefined && { user }),
      apps: this.#shown.apps.map(({ row }) => row),
      stores: [...this.#shown.stores.keys()],
      notices,
      isLive: [...this.#shown.stores.values()].every((store) => store.changes !== undefined),
    };
  }

  #follow(search: URLSearchParams): Response {
    const after = search.get("after");
    const stream = this.#ring.stream(after !== null && /^\d{1,15}$/.test(after) ? Number(after) : undefined);
    return respond(stream, "application/x-ndjson; charset=utf-8");
  }

  async #listed(): Promise<ListParts> {
    const lives = new Map([...this.#live.byKey.values()].map((run) => [this.#refOf(run), run]));
    const rows = new Map(this.#recorded.rows.map((row) => [row.ref, row]));
    for (const [ref, run] of lives) rows.set(ref, this.#views.liveRow(run, ref, this.#appOf(run.graph)?.row));
    const unreadable = new Map<string, RunRow>();
    for (const { run, error } of await this.#stored.unreadable()) {
      const row = this.#views.unreadableRow({ run, error });
      unreadable.set(row.ref, row);
      rows.set(row.ref, row);
    }
    return { shown: this.#shown, stored: this.#stored, views: this.#views, lives, rows, unreadable };
  }

  async #questions(): Promise<QuestionList> {
    const questions: QuestionView[] = [];
    const errors: { ref: string; message: string }[] = [];
    const waiting = await this.#stored.waiting(mostQuestions + 1);
    for (let at = 0; at < Math.min(waiting.length, mostQuestions); at += readAtOnce) {
      const read = await Promise.all(
        waiting.slice(at, at + readAtOnce).map(async ({ storeName, row }) => {
          try {
            const run = await this.#stored.read(storeName, row.id);
            return run === undefined ? [] : await this.#views.questions(run, at < withTalk);
          } catch (error) {
            errors.push({ ref: storedRef(storeName, row.id), message: withoutSecrets(messageOf(error)) });
            return [];
          }
        }),
      );
      questions.push(...read.flat());
    }
    return { questions, errors, ...(waiting.length > mostQuestions && { more: true as const }) };
  }

  #takeSpans(body: Body): Response {
    const { spans, chunks, lost } = body as Partial<SpansRequest>;
    for (const span of Array.isArray(spans) ? spans : []) this.#foreign.take(span);
    for (const chunk of Array.isArray(chunks) ? chunks : []) this.#takeChunk(chunk);
    if (typeof lost === "number" && lost > 0)
      this.#notice(`${lost} events of another process were lost, because they came too fast.`);
    return respond(null, "text/plain", 204);
  }

  #takeChunk(chunk: unknown): void {
    const { run, span, at, text } = fieldsOf(chunk);
    const live = this.#live.byKey.get(String(run));
    if (live === undefined || typeof at !== "number" || typeof text !== "string") return;
    this.#ring.push({ type: "chunk", ref: this.#refOf(live), span: String(span), at, text });
  }

  async #post(parts: readonly string[], body: Body, { can, user }: Access): Promise<Response> {
    const [what = ""] = parts;
    const needed = what === "answer" || what === "go-on" ? "answer" : "act";
    if (!Object.hasOwn(actions, what)) throw notFound();
    if (levels.indexOf(can) < levels.indexOf(needed)) throw new Refusal(403, "FORBIDDEN", `You may only ${can}.`);
    // the same key of another user, or for another run, is another form's
    const key = JSON.stringify([what, textIn(body, "key"), textIn(body, what === "start" ? "app" : "ref"), user]);
    const result = await this.#once.do(key, () => this.#act(what as keyof typeof actions, body, { can, user }));
    return json(result, 202);
  }

  async #act(what: keyof typeof actions, body: Body, access: Access): Promise<AnswerResult | RunResult> {
    if (what === "start") {
      const app = this.#app(textIn(body, "app"));
      return { run: await this.#rowOf(await this.#actions.start(app, body.input), this.#stored.nameOf(app.store)) };
    }
    const { stored, live, unreadable } = await this.#known(textIn(body, "ref"));
    if (stored === undefined)
      throw new Refusal(
        409,
        "NOT_SAVED",
        unreadable === undefined
          ? "The run is not saved, so nothing can go on with it."
          : withoutSecrets(unreadable.error.message),
      );
    switch (what) {
      case "answer":
        return this.#answer(stored, isFields(body.answers) ? body.answers : {}, access);
      case "go-on":
        return { run: await this.#rowOf(await this.#actions.goOn(stored), stored.storeName) };
      case "cancel":
        await runs(stored.store).cancel(stored.row.id);
        return { run: await this.#rowNow(stored, live) };
      case "retry":
        await runs(stored.store).retry(stored.row.id);
        if (stored.app !== undefined) await this.#actions.goOn(stored);
        return { run: await this.#rowNow(stored, live) };
      case "stop":
        this.#actions.stop(stored.row.id);
        return { run: this.#views.storedRow(stored, live) };
      case "fork": {
        const { checkpointId } = await this.#actions.fork(stored, body);
        const copy = await this.#stored.read(stored.storeName, checkpointId);
        if (copy === undefined) throw new Refusal(404, "UNKNOWN_CHECKPOINT", "The copy is gone.");
        this.#views.forked(storedRef(stored.storeName, checkpointId), stored.row.id);
        if (body.resume !== false) await this.#actions.goOn(copy);
        return { run: this.#views.storedRow(copy) };
      }
      case "again":
        return { run: await this.#rowOf(await this.#actions.again(stored), stored.storeName) };
      default:
        return what satisfies never;
    }
  }

  async #answer(run: ReadRun, answers: Body, access: Access): Promise<AnswerResult> {
    await checkAnswers(run, answers);
    await announceAnswers(this.#options, run, answers, access);
    const { app, store, row } = run;
    // recorded first: of two who answer at once, one is told
    await runs(store, app?.plan && { runtime: app.plan.runtime as Runtime }).answer(row.id, answers);
    if (app !== undefined) await this.#actions.goOn(run);
    this.#ring.push({ type: "questions" });
    return { run: await this.#rowNow(run), goesOn: app !== undefined };
  }

  async #rowNow(run: ReadRun, live?: LiveRun): Promise<RunRow> {
    return this.#views.storedRow((await this.#stored.read(run.storeName, run.row.id)) ?? run, live);
  }

  /** The row of a run that has begun here. */
  async #rowOf({ runKey, checkpointId }: Begun, storeName: string | undefined): Promise<RunRow> {
    const live = runKey === undefined ? undefined : this.#live.byKey.get(runKey);
    const id = checkpointId ?? live?.checkpointId;
    const stored = id === undefined || storeName === undefined ? undefined : await this.#stored.read(storeName, id);
    if (stored !== undefined) return this.#views.storedRow(stored, live);
    if (live !== undefined) return this.#views.liveRow(live, this.#refOf(live), this.#appOf(live.graph)?.row);
    throw new Refusal(404, "GONE", "The run has ended, and nothing of it is kept.");
  }

  /** The run of a reference: what a store has of it, and its spans. */
  async #known(ref: string): Promise<KnownRun> {
    const [, kind, rest = ""] = /^([sk])\.(.*)$/s.exec(ref) ?? [];
    if (kind === "k") {
      const live = this.#live.byKey.get(rest);
      if (live !== undefined) return { ref, stored: undefined, live };
    }
    if (kind === "s") {
      const names = [...this.#shown.stores.keys()].filter((name) => rest.startsWith(`${name}.`));
      const storeName = names.sort((a, b) => b.length - a.length)[0] ?? "";
      const known = await this.#stored
        .read(storeName, rest.slice(storeName.length + 1))
        .catch((error: unknown) => error);
      const stored = known instanceof Error ? undefined : (known as ReadRun | undefined);
      const live = [...this.#live.byKey.values()].findLast((run) =>
        stored === undefined ? this.#refOf(run) === ref : run.key === stored.document.runKey,
      );
      if (stored !== undefined || (live !== undefined && known === undefined)) return { ref, stored, live };
      const row = await this.#stored.rowOf(storeName, rest.slice(storeName.length + 1));
      if (row !== undefined && isUnreadable(known))
        return { ref, stored, live, unreadable: { run: row, error: known } };
      if (known instanceof Error) throw known;
    }
    throw new Refusal(404, "UNKNOWN_RUN", "There is no such run any more.");
  }

  #refOf(run: LiveRun): string {
    run.ref ??= this.#newRef(run);
    return run.ref;
  }

  #newRef(run: LiveRun): string {
    const storeName = run.checkpointId === undefined ? undefined : this.#stored.nameOf(this.#appOf(run.graph)?.store);
    return storeName === undefined ? liveRef(run.key) : storedRef(storeName, run.checkpointId ?? "");
  }

  #appOf(graph: string) {
    return this.#shown.apps.find(({ row }) => row.name === graph);
  }

  #app(key: string) {
    const app = this.#shown.apps.find(({ row }) => row.key === key);
    if (app === undefined) throw new Refusal(404, "UNKNOWN_APP", `There is no app "${key}".`);
    return app;
  }

  #spanChanged(run: LiveRun, span: LiveSpan): void {
    if (this.#ring.isIdle()) return;
    const ref = this.#refOf(run);
    this.#ring.push(() => ({ type: "span", ref, span: this.#views.span(run, span) }));
    if (span.parent !== undefined) return;
    const index = run.roots.indexOf(span);
    this.#ring.push(() => ({ type: "segment", ref, index, segment: segmentView(span) }));
    this.#ring.push(() => ({ type: "run", run: this.#views.liveRow(run, ref, this.#appOf(run.graph)?.row) }));
    if (span.status === "waiting") this.#ring.push({ type: "questions" });
  }

  #ranOut(count: number): void {
    this.#dropped += count;
    this.#ring.push({ type: "notice", text: `${this.#dropped} older runs are not shown live any more.` });
  }

  #notice(text: string): void {
    this.#ring.push({ type: "notice", text });
  }
}

const actions = {
  answer: true,
  start: true,
  fork: true,
  again: true,
  "go-on": true,
  stop: true,
  cancel: true,
  retry: true,
} as const;

/** The picture of a graph with what is asked to be open. */
function levelIn(info: GraphInfo | undefined, search: URLSearchParams): Level | null {
  const opened = search.has("all") ? "all" : search.getAll("opened").slice(0, 50);
  return (info && graphPicture(info, opened)) ?? null;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound();
  }
}

function redirect(to: string): Response {
  return new Response(null, { status: 308, headers: { location: to } });
}
