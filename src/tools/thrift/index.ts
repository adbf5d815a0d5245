/** Tools from the methods of a Thrift service, for Node.js. Needs the package `thrift`. @packageDocumentation */

export type {
  ThriftCall,
  ThriftConnection,
  ThriftConnectionOptions,
  ThriftHeaders,
  ThriftHttpOptions,
  ThriftProtocol,
  ThriftSocketOptions,
  ThriftTlsOptions,
} from "./connection.js";
export type { ThriftTool } from "./method-tool.js";
export type { ThriftMethod, ThriftSource, ThriftToolsOptions } from "./options.js";
export { thriftConnection } from "./thrift-connection.js";
export { thriftTools } from "./thrift-tools.js";
