import type { Failure, LiveEvent } from "../api.js";

/** What the server said no to. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  readonly status: number;
  readonly fields: NonNullable<Failure["error"]["fields"]>;

  constructor(status: number, failure: Failure | undefined) {
    super(failure?.error.message ?? (status === 401 ? "You are not signed in." : `The server answered ${status}.`));
    this.status = status;
    this.fields = failure?.error.fields ?? [];
  }
}

/** The requests of the page. All are of its own origin. */
export class Client {
  readonly #base: string;
  readonly #token: string | undefined;

  constructor(base: string, token: string | undefined) {
    this.#base = base;
    this.#token = token;
  }

  async get<Answer>(path: string, search: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    const given = Object.entries(search).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
    const query = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
    return this.#read(await this.#fetch(`api/${path}${query}`, {}));
  }

  async post<Answer>(path: string, body: object): Promise<Answer> {
    const headers = { "content-type": "application/json" };
    return this.#read(await this.#fetch(`api/${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
  }

  /** The text of an asset of the page. */
  async asset(name: string): Promise<string> {
    const response = await fetch(`${this.#base}assets/${name}`);
    if (!response.ok) throw new RequestFailure(response.status, undefined);
    return response.text();
  }

  /** Everything that happens, until it is aborted. Ends with the response: call it again. */
  async *live(after: number | undefined, signal: AbortSignal): AsyncGenerator<LiveEvent> {
    const response = await this.#fetch(`api/live${after === undefined ? "" : `?after=${after}`}`, { signal });
    if (!response.ok || response.body === null) throw new RequestFailure(response.status, undefined);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = (rest + piece.value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== undefined) headers.set("authorization", `Bearer ${this.#token}`);
    return fetch(this.#base + path, { ...init, headers, credentials: "same-origin", cache: "no-store" });
  }

  async #read<Answer>(response: Response): Promise<Answer> {
    // json() decodes piece by piece, which takes longer than all the rest where a run is large
    const body = await response.arrayBuffer().then(jsonIn, () => undefined);
    if (!response.ok) throw new RequestFailure(response.status, isFailure(body) ? body : undefined);
    return body as Answer;
  }
}

function jsonIn(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function isFailure(body: unknown): body is Failure {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "object";
}

/**
 * The token of `kumiko dev`, which is in the fragment of the address once: it is kept, and the address cleared, so that no
 * history or screenshot has it.
 */
export function takeToken(base: string): string | undefined {
  const name = `kumiko token ${base}`;
  const given = /^#([\w-]{20,})$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    history.replaceState(null, "", location.pathname + location.search);
    localStorage.setItem(name, given);
  }
  return given ?? localStorage.getItem(name) ?? undefined;
}

/** Where the picture of an app or a run is, with these folded nodes open. */
export function levelPath(of: string, opened: readonly string[]): string {
  return `${of}/level?${new URLSearchParams(opened.map((path) => ["opened", path]))}`;
}

/** The key of a form: pressing twice sends once. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
