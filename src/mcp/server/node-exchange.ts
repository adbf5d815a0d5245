/** A request of `node:http`, or of a framework based on it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A response of `node:http`, or of a framework based on it. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers?: Readonly<Record<string, string>>): unknown;
  end(): unknown;
  flushHeaders?(): void;
}

/** A Node.js request and its response. */
export interface NodeExchange {
  /** The URL of the request. */
  readonly url: URL | string;
  readonly req: NodeRequest;
  readonly res: NodeResponse;
}
