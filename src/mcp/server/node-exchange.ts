/** A request of `node:http`, by what identifies one: frameworks hand on the same object. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The response of `node:http` that belongs to it. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers?: Readonly<Record<string, string>>): unknown;
  end(): unknown;
  flushHeaders?(): void;
}

/** A request of Node.js, and where it is answered. */
export interface NodeExchange {
  /** The address that was called. */
  readonly url: URL | string;
  readonly req: NodeRequest;
  readonly res: NodeResponse;
}
