import type { ToolContext } from "../../components/tool.js";
import type { ToolSourceOptions } from "../define/tool-source.js";
import type { HttpMethod } from "./document.js";
import type { OpenApiAuth } from "./security.js";

/** A header that is `undefined` is not sent. @internal */
export type GivenHeaders = Headers | Readonly<Record<string, string | undefined>>;

/** Headers, or a function that returns them for each call. */
export type OpenApiHeaders = GivenHeaders | ((ctx: ToolContext) => GivenHeaders | Promise<GivenHeaders>);

/** Options of {@link openApiTools}. */
export interface OpenApiToolsOptions extends ToolSourceOptions<OpenApiOperation> {
  /** The base URL of the service. @default the first server of the operation, its path or the document */
  readonly baseUrl?: string | undefined;
  /**
   * Sent with each request; the place for keys and tokens. They take precedence over arguments of the model for the same header. A
   * function is called for each call, and can read them from `ctx.requestContext`.
   */
  readonly headers?: OpenApiHeaders | undefined;
  /**
   * Credentials by the names of the document's `securitySchemes`: each operation gets those that it requires. A string is a key or a
   * token; HTTP Basic takes `{ username, password }`; a function is called for each call.
   */
  readonly auth?: OpenApiAuth | undefined;
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The operation that a tool was made from: its `metadata`, and the argument of `include`, `exclude` and `requireApproval`. */
export interface OpenApiOperation {
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** As in the document: `/pets/{petId}`. */
  readonly path: string;
  /** As in the document; a tool without one is named after its method and path. */
  readonly operationId: string | undefined;
  /** The tags of the operation. */
  readonly tags: readonly string[];
  /** Whether the operation is marked as deprecated. */
  readonly deprecated: boolean;
}
