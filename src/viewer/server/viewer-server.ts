import type { Handler } from "../../callbacks/handler.js";
import type { Runtime } from "../../compose/runtime.js";
import { runs } from "../../durable/runs.js";
import { messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import type { About, AnswerResult, Can, QuestionList, QuestionView, RunList, RunResult, RunRow } from "../api.js";
import { loadPageAssets, type PageAssets } from "../page-assets.js";
import { pageHtml } from "../page-html.js";
import { type Access, checkAccess, type ViewerOptions } from "../viewer-options.js";
import { withoutSecrets } from "../wire-value.js";
import { Actions, type Begun } from "./actions.js";
import { announceAnswers, checkAnswers } from "./answers.js";
import { EventRing } from "./event-ring.js";
import { bodyOf, checkSender, failure, json, Refusal, respond, textIn } from "./http.js";
import { LiveRuns } from "./live-runs.js";
import type { LiveRun, LiveSpan } from "./live-span.js";
import { OnceEach } from "./once-each.js";
import { type KnownRun, liveRef, RunViews, segmentView, storedRef } from "./run-views.js";
import { appView, type Shown, shownApps } from "./shown-apps.js";
import { type ReadRun, StoredRuns } from "./stored-runs.js";
import { ValueViews } from "./value-views.js";

const levels: readonly Can[] = ["look", "answer", "act"];
const withTalk = 50;
const limits = { runs: 500, bytes: 256_000_000 };

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
  #dropped = 0;
  #assets: Promise<PageAssets> | undefined;

  constructor(options: ViewerOptions) {
    const { basePath = "/", redact, prices } = options;
    this.#options = options;
    this.#base = basePath.endsWith("/") ? basePath : `${basePath}/`;
    this.#shown = shownApps(options);
    this.#stored = new StoredRuns(this.#shown);
    this.#live = new LiveRuns(
      {
        onSpan: (run, span) => this.#spanChanged(run, span),
        onChunk: (run, span, at, text) =>
          this.#ring.push({ type: "chunk", ref: this.#refOf(run), span: span.id, at, text }),
        onDrop: (count) => this.#ranOut(count),
      },
      redact,
      limits,
    );
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

  close(): void {
    this.#ring.close();
    this.#actions.close();
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
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
    if (!path.startsWith("api/")) return this.#asset(path);
    if (isPost) checkSender(request, this.#options.origin ?? url.origin);
    const access = await this.#accessOf(request);
    if (access instanceof Response) return access;
    const parts = path.slice("api/".length).split("/").map(decodePart);
    return isPost ? this.#post(parts, await bodyOf(request), access) : this.#get(parts, url.searchParams, access);
  }

  async #accessOf(request: Request): Promise<Access | Response> {
    const given = await this.#options.authorize(request);
    if (given instanceof Response) return given;
    if (given === undefined || given === null) throw new Refusal(401, "UNAUTHORIZED", "Sign in first.");
    return checkAccess(given);
  }

  async #asset(path: string): Promise<Response> {
    if (path === "" || path === "index.html") return respond(pageHtml(this.#base), "text/html; charset=utf-8");
    const types: Readonly<Record<string, readonly [keyof PageAssets, string]>> = {
      "assets/page.js": ["page", "text/javascript; charset=utf-8"],
      "assets/player.js": ["player", "text/javascript; charset=utf-8"],
      "assets/page.css": ["style", "text/css; charset=utf-8"],
    };
    const found = Object.hasOwn(types, path) ? types[path] : undefined;
    if (found === undefined) throw notFound();
    this.#assets ??= loadPageAssets();
    return respond((await this.#assets)[found[0]], found[1], 200, "no-cache");
  }

  async #get(parts: readonly string[], search: URLSearchParams, access: Access): Promise<Response> {
    const [what = "", id, more] = parts;
    if (what === "about") return json(this.#about(access));
    if (what === "questions") return json(await this.#questions());
    if (what === "live") return this.#follow(search);
    if (what === "runs" && id === undefined) return json(await this.#runs(search));
    if (what === "apps" && id !== undefined) return json(appView(this.#app(id)));
    if (what === "values" && id !== undefined) {
      const value = this.#values.whole(id);
      if (value === undefined) throw new Refusal(404, "GONE", "The value is not kept any more. Load the run again.");
      return json(value);
    }
    if (what !== "runs" || id === undefined) throw notFound();
    const run = await this.#known(id);
    if (more === undefined) return json(await this.#views.view(run));
    if (run.stored === undefined) throw new Refusal(404, "NOT_SAVED", "The run is not saved.");
    if (more === "saves") return json(await this.#views.saves(run.stored, search.get("before") ?? ""));
    if (more !== "state") throw notFound();
    return json(await this.#views.state(run.stored, search.get("entry") ?? undefined, search.get("path") ?? ""));
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

  async #runs(search: URLSearchParams): Promise<RunList> {
    const limit = Math.min(200, Math.max(1, Number(search.get("limit")) || 50));
    const [status, app, text = ""] = ["status", "app", "search"].map((name) => search.get(name) ?? undefined);
    const [, since = "", cursor = ""] = /^(\d{1,15})\.(.*)$/.exec(search.get("after") ?? "") ?? [];
    const before = since === "" ? Number.POSITIVE_INFINITY : Number(since) + 1;
    const stored = await this.#stored.newest(
      {},
      limit * 4,
      before === Number.POSITIVE_INFINITY ? Date.now() + 60_000 : before,
    );
    const lives = new Map([...this.#live.byKey.values()].map((run) => [this.#refOf(run), run]));
    const rows = new Map<string, RunRow>();
    for (const run of stored) {
      const ref = storedRef(run.storeName, run.row.id);
      rows.set(ref, this.#views.storedRow(run, lives.get(ref)));
    }
    for (const [ref, run] of lives) {
      if (!rows.has(ref)) rows.set(ref, this.#views.liveRow(run, ref, this.#appOf(run.graph)?.row));
    }
    const sorted = [...rows.values()]
      .filter((row) => (status === undefined || row.status === status) && (app === undefined || row.app === app))
      .filter((row) => matches(row, text))
      .filter((row) => row.since < before - 1 || (row.since < before && row.ref > cursor))
      .sort((a, b) => b.since - a.since || (a.ref < b.ref ? -1 : 1));
    const runs = sorted.slice(0, limit);
    const last = runs.at(-1);
    return {
      runs,
      ...(sorted.length > limit && last !== undefined && { next: `${Math.floor(last.since)}.${last.ref}` }),
    };
  }

  async #questions(): Promise<QuestionList> {
    const questions: QuestionView[] = [];
    const errors: { ref: string; message: string }[] = [];
    for (const { storeName, row } of await this.#stored.waiting(500)) {
      try {
        const run = await this.#stored.read(storeName, row.id);
        if (run !== undefined) questions.push(...(await this.#views.questions(run, questions.length < withTalk)));
      } catch (error) {
        errors.push({ ref: storedRef(storeName, row.id), message: withoutSecrets(messageOf(error)) });
      }
    }
    return { questions, errors };
  }

  async #post(parts: readonly string[], body: Body, { can, user }: Access): Promise<Response> {
    const [what = ""] = parts;
    const needed = what === "answer" || what === "go-on" ? "answer" : "act";
    if (!Object.hasOwn(actions, what)) throw notFound();
    if (levels.indexOf(can) < levels.indexOf(needed)) throw new Refusal(403, "FORBIDDEN", `You may only ${can}.`);
    const key = textIn(body, "key");
    const result = await this.#once.do(`${what} ${key}`, () =>
      this.#act(what as keyof typeof actions, body, { can, user }),
    );
    return json(result, 202);
  }

  async #act(what: keyof typeof actions, body: Body, access: Access): Promise<AnswerResult | RunResult> {
    if (what === "start") {
      const app = this.#app(textIn(body, "app"));
      return { run: await this.#rowOf(await this.#actions.start(app, body), this.#stored.nameOf(app.store)) };
    }
    const { stored, live } = await this.#known(textIn(body, "ref"));
    if (stored === undefined)
      throw new Refusal(409, "NOT_SAVED", "The run is not saved, so nothing can go on with it.");
    switch (what) {
      case "answer":
        return this.#answer(stored, isFields(body.answers) ? body.answers : {}, access);
      case "go-on":
        return { run: await this.#rowOf(await this.#actions.goOn(stored, undefined), stored.storeName) };
      case "cancel":
      case "retry":
        await runs(stored.store)[what](stored.row.id);
        return {
          run: this.#views.storedRow((await this.#stored.read(stored.storeName, stored.row.id)) ?? stored, live),
        };
      case "stop":
        this.#actions.stop(stored.row.id);
        return { run: this.#views.storedRow(stored, live) };
      case "fork": {
        const { checkpointId } = await this.#actions.fork(stored, body);
        const copy = await this.#stored.read(stored.storeName, checkpointId);
        if (copy === undefined) throw new Refusal(404, "UNKNOWN_CHECKPOINT", "The copy is gone.");
        if (body.resume !== false) await this.#actions.goOn(copy, undefined);
        return { run: { ...this.#views.storedRow(copy), forkOf: stored.row.id } };
      }
      case "again": {
        if (stored.app === undefined) throw new Refusal(409, "UNKNOWN_APP", "The app of the run is not given.");
        const { input } = await stored.app.graph.stateAt(stored.row.id);
        if (input === undefined) throw new Refusal(409, "NO_INPUT", "The input of the run is not kept.");
        return { run: await this.#rowOf(await this.#actions.start(stored.app, { input }), stored.storeName) };
      }
      default:
        return what satisfies never;
    }
  }

  async #answer(run: ReadRun, answers: Body, access: Access): Promise<AnswerResult> {
    await checkAnswers(run, answers);
    await announceAnswers(this.#options, run, answers, access);
    const { app, store, row } = run;
    if (app?.agent !== undefined) await this.#actions.goOn(run, answers);
    else {
      // recorded first: of two who answer at once, one is told
      await runs(store, app?.plan && { runtime: app.plan.runtime as Runtime }).answer(row.id, answers);
      if (app !== undefined) await this.#actions.goOn(run, undefined);
    }
    this.#ring.push({ type: "questions" });
    const now = await this.#stored.read(run.storeName, row.id);
    return { run: this.#views.storedRow(now ?? run), goesOn: app !== undefined };
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
      const storeName = [...this.#shown.stores.keys()].find((name) => rest.startsWith(`${name}.`));
      const stored =
        storeName === undefined ? undefined : await this.#stored.read(storeName, rest.slice(storeName.length + 1));
      const live = [...this.#live.byKey.values()].findLast((run) =>
        stored === undefined ? this.#refOf(run) === ref : run.key === stored.document.runKey,
      );
      if (stored !== undefined || live !== undefined) return { ref, stored, live };
    }
    throw new Refusal(404, "UNKNOWN_RUN", "There is no such run any more.");
  }

  #refOf(run: LiveRun): string {
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

function matches({ ref, graph, app = "", threadId = "", userId = "" }: RunRow, text: string): boolean {
  const wanted = text.toLowerCase();
  return [ref, graph, app, threadId, userId].some((field) => field.toLowerCase().includes(wanted));
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

const notFound = (): Refusal => new Refusal(404, "NOT_FOUND", "There is nothing here.");
