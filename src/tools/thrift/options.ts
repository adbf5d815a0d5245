import type { ToolSourceOptions } from "../define/tool-source.js";
import type { ThriftConnection, ThriftConnectionOptions } from "./connection.js";

/** A Thrift service, and where its server is. Exactly one of `idlFile`, `idl` and `service` describes the service. */
export interface ThriftSource {
  /** A `.thrift` file. It says more than generated code: descriptions, what is required, the names of enums. */
  readonly idlFile?: string | URL | undefined;
  /** Folders where included files are, besides that of the file itself: `-I` of the compiler. */
  readonly includeFolders?: readonly (string | URL)[] | undefined;
  /** The text of a `.thrift` file. */
  readonly idl?: string | undefined;
  /** With `idl`: the contents of the files that it includes, by their paths. */
  readonly includes?: Readonly<Record<string, string>> | undefined;
  /** A module that the compiler generated for a service with `--gen js:node`, such as `await import("./gen-nodejs/Shop.js")`. */
  readonly service?: object | undefined;
  /** Which service of an IDL with several. */
  readonly serviceName?: string | undefined;
  /** Where the server is. */
  readonly connection: ThriftConnection | ThriftConnectionOptions;
  /** For a server with several services: `true` if it has this one under its own name, else the name. @default false */
  readonly multiplexed?: boolean | string | undefined;
}

/** Options of {@link thriftTools}. */
export interface ThriftToolsOptions extends ToolSourceOptions<ThriftMethod> {
  /** How long a call may take, in milliseconds. @default what the node says */
  readonly timeoutMs?: number | undefined;
}

/** The method that a tool was made from: its `metadata`, and the argument of `include`, `exclude` and `requireApproval`. */
export interface ThriftMethod {
  /** The name of the service. */
  readonly service: string;
  /** The name of the method. */
  readonly method: string;
  /** Whether there is no answer. */
  readonly oneway: boolean;
  /** The names of the exceptions that it declares. */
  readonly exceptions: readonly string[];
}
