import { timingSafeEqual } from "node:crypto";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { About } from "../viewer/api.js";
import { failure, json, Refusal } from "../viewer/server/http.js";
import { PageFiles } from "../viewer/server/page-files.js";
import type { AppProcess } from "./app-process.js";
import { type DevOptions, isLoopback } from "./dev-options.js";
import { LiveLines } from "./live-lines.js";

export interface DevServerParts {
  readonly app: AppProcess;
  readonly token: string;
  readonly options: Pick<DevOptions, "host" | "can">;
}

/** Answers for `kumiko dev`: the page, who may see data, and how the process of the app is. The rest is passed on to that process. */
export class DevServer {
  readonly #app: AppProcess;
  readonly #token: Buffer;
  readonly #options: DevServerParts["options"];
  readonly #files = new PageFiles("/");
  #about: About | undefined;

  constructor({ app, token, options }: DevServerParts) {
    this.#app = app;
    this.#token = Buffer.from(token);
    this.#options = options;
  }

  readonly serve = (request: IncomingMessage, response: ServerResponse): void => {
    this.#serve(request, response).catch((error: unknown) => send(response, failure(error)));
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#checkHost(request);
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (!path.startsWith("/api/")) {
      if (request.method !== "GET" && request.method !== "HEAD") throw new Refusal(405, "METHOD", "GET.");
      await send(response, await this.#files.get(path.slice(1)), request.method === "HEAD");
      return;
    }
    if (!this.#hasToken(request))
      throw new Refusal(
        401,
        "UNAUTHORIZED",
        "The token is missing or wrong. Open the address that kumiko dev has printed.",
      );
    switch (path.slice("/api/".length)) {
      case "dev":
        return send(response, json(this.#app.state));
      case "about":
        return this.#sendAbout(request, response);
      case "live":
        return this.#follow(request, response);
      case "restart":
        return this.#restart(request, response);
      default:
        return this.#pass(request, response);
    }
  }

  /** Another name that leads here is an attack from a page elsewhere. */
  #checkHost({ headers }: IncomingMessage): void {
    const name = (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
    const { host } = this.#options;
    const isEverywhere = host === "0.0.0.0" || host === "::";
    const bare = name.replace(/^\[|\]$/g, "");
    if (isLoopback(name) || bare === host?.toLowerCase()) return;
    // an attack needs a name of its own
    if (isEverywhere && (isIP(bare) !== 0 || bare === hostname().toLowerCase())) return;
    throw new Refusal(403, "HOST_REFUSED", `The host "${name}" is not served.`);
  }

  #hasToken({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(/^Bearer (.*)$/.exec(headers.authorization ?? "")?.[1] ?? "");
    return given.length === this.#token.length && timingSafeEqual(given, this.#token);
  }

  /** Known also while the app is not there: the page can be opened, and says why. */
  async #sendAbout(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { state } = this.#app;
    try {
      const { status, text } = await this.#ask(request);
      if (status === 200) this.#about = JSON.parse(text);
    } catch {
      // it has ended, or is about to
    }
    const { can } = this.#options;
    const none = { version: 1, can, apps: [], stores: [], notices: [], isLive: true } as const;
    await send(response, json({ ...(this.#about ?? none), dev: state } satisfies About));
  }

  async #restart(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method } = request;
    if (method !== "POST") throw new Refusal(405, "METHOD", "POST.");
    if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
      throw new Refusal(415, "NOT_JSON", "Send JSON.");
    const site = headers["sec-fetch-site"];
    const { origin } = headers;
    if ((site !== undefined && site !== "same-origin") || (origin !== undefined && origin !== `http://${headers.host}`))
      throw new Refusal(403, "FORBIDDEN", "The request comes from another site.");
    if (this.#options.can !== "act") throw new Refusal(403, "FORBIDDEN", `You may only ${this.#options.can}.`);
    request.resume();
    await this.#app.restart();
    await send(response, json(this.#app.state, 202));
  }

  #ask(request: IncomingMessage): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const inner = this.#inner(request);
      inner.on("error", reject);
      inner.on("response", (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (piece) => {
          text += piece;
        });
        answer.on("error", reject);
        answer.on("end", () => resolve({ status: answer.statusCode ?? 502, text }));
      });
      inner.setTimeout(2_000, () => inner.destroy(new Error("It takes too long.")));
      inner.end();
    });
  }

  /** A request to the process of the app. Throws while there is none. */
  #inner({ url, method, headers }: IncomingMessage) {
    const { port, secret, state } = this.#app;
    if (port === undefined || state.status === "silent") {
      const code = state.status === "starting" ? "APP_STARTING" : "APP_ENDED";
      throw new Refusal(503, code, state.message ?? "The app is starting.");
    }
    const given = { ...headers, "x-kumiko-secret": secret };
    return httpRequest({ port, host: "127.0.0.1", path: url, method, headers: given });
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const inner = this.#inner(request);
    inner.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    inner.on("error", () => {
      const { message = "The app does not answer." } = this.#app.state;
      void send(response, failure(new Refusal(503, "APP_ENDED", message)));
    });
    response.on("close", () => inner.destroy());
    request.pipe(inner);
  }

  /** The stream goes on while the app is away; once there is another one, it ends, and the page asks again. */
  #follow(request: IncomingMessage, response: ServerResponse): void {
    const headers = { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(200, { ...headers, "x-content-type-options": "nosniff" });
    const lines = new LiveLines(response, this.#app);
    lines.tell();
    const endLater = (): void => {
      const off = this.#app.onState(() => {
        if (this.#app.state.status !== "running") return;
        off();
        response.end();
      });
      response.on("close", off);
    };
    if (this.#app.port === undefined) {
      endLater();
      return;
    }
    const inner = this.#inner(request);
    inner.on("response", (answer) => {
      answer.on("data", (piece: Buffer) => {
        if (lines.write(piece)) return;
        answer.pause();
        response.once("drain", () => answer.resume());
      });
      answer.on("end", () => response.end());
      answer.on("error", () => undefined);
      answer.on("close", () => {
        if (answer.complete || response.destroyed) return;
        lines.cutOff();
        endLater();
      });
    });
    inner.on("error", () => {
      if (!response.writableEnded && this.#app.port === undefined) endLater();
      else response.end();
    });
    response.on("close", () => inner.destroy());
    inner.end();
  }
}

async function send(response: ServerResponse, answer: Response, isHead = false): Promise<void> {
  if (response.headersSent) {
    response.end();
    return;
  }
  const text = await answer.text();
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(isHead ? undefined : text);
}
