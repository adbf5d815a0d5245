import { RequestContext } from "../../components/request-context.js";
import type { MiddlewareContext, MiddlewareRequest } from "./middleware.js";

/** One request, and the values that its middleware and handlers share. */
export class RequestValues implements MiddlewareContext {
  readonly requestContext = new RequestContext();
  readonly req: MiddlewareRequest;
  /** The path parameters of the current middleware. */
  params: Readonly<Record<string, string>> = {};
  readonly #values = new Map<string, unknown>();
  /** The changes of headers, in order. */
  readonly #headers: ((headers: Headers) => void)[] = [];
  #response: Response | undefined;

  constructor(raw: Request) {
    this.req = new ReadRequest(raw, () => this.params);
    this.#values.set("requestContext", this.requestContext);
    this.#values.set("runtimeContext", this.requestContext);
  }

  // functions, not methods: `get` and `set` are often destructured
  readonly get = <T>(name: string): T => this.#values.get(name) as T;

  readonly set = (name: string, value: unknown): void => {
    this.#values.set(name, value);
  };

  readonly header = (
    name: string,
    value?: string,
    { append = false }: { readonly append?: boolean | undefined } = {},
  ): void => {
    new Headers([[name, value ?? ""]]); // a wrong one throws where it is set
    this.#headers.push((headers) => {
      if (value === undefined) headers.delete(name);
      else if (append) headers.append(name, value);
      else headers.set(name, value);
    });
  };

  get res(): Response {
    return this.#response ?? new Response(null, { status: 404 });
  }

  set res(response: Response) {
    this.#response = response;
  }

  /** Whether there is a response yet. */
  get hasResponse(): boolean {
    return this.#response !== undefined;
  }

  /** The response with the headers that the middleware has set. */
  withHeaders(response: Response): Response {
    if (this.#headers.length === 0) return response;
    const { status, statusText, body } = response;
    const headers = new Headers(response.headers);
    for (const change of this.#headers) change(headers);
    return new Response(body, { status, statusText, headers });
  }

  readonly json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
    new Response(JSON.stringify(value ?? null), {
      status,
      headers: { "content-type": "application/json", ...headers },
    });

  readonly text = (text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
    new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers } });
}

/** The headers that middleware has set so far. */
export function headersSetIn(context: MiddlewareContext): Headers {
  return context instanceof RequestValues ? context.withHeaders(new Response(null)).headers : new Headers();
}

class ReadRequest implements MiddlewareRequest {
  readonly raw: Request;
  readonly #params: () => Readonly<Record<string, string>>;
  #body: Promise<string> | undefined;

  constructor(raw: Request, params: () => Readonly<Record<string, string>>) {
    this.raw = raw;
    this.#params = params;
  }

  get method(): string {
    return this.raw.method;
  }

  get url(): string {
    return this.raw.url;
  }

  get path(): string {
    return new URL(this.raw.url).pathname;
  }

  header(name: string): string | undefined;
  header(): Readonly<Record<string, string>>;
  header(name?: string): unknown {
    return name === undefined ? Object.fromEntries(this.raw.headers) : (this.raw.headers.get(name) ?? undefined);
  }

  param(name: string): string | undefined;
  param(): Readonly<Record<string, string>>;
  param(name?: string): unknown {
    return name === undefined ? { ...this.#params() } : this.#params()[name];
  }

  query(name: string): string | undefined;
  query(): Readonly<Record<string, string>>;
  query(name?: string): unknown {
    const { searchParams } = new URL(this.raw.url);
    return name === undefined ? Object.fromEntries(searchParams) : (searchParams.get(name) ?? undefined);
  }

  async json(): Promise<never> {
    return JSON.parse(await this.text()) as never;
  }

  /** Can be called more than once; the route can still read the body. */
  text(): Promise<string> {
    this.#body ??= this.raw.clone().text();
    return this.#body;
  }
}
