import { checkOptions, type OptionCheck } from "../../check-options.js";
import { isFields, isObject } from "../../is.js";
import { checkApprovalNames } from "../define/approval-option.js";
import { checkTimeout } from "../define/tool-settings.js";
import { type ClosableTools, closable, ToolSelection, toolSourceOptions } from "../define/tool-source.js";
import type { MethodDefinition, ServiceDefinition } from "./definition.js";
import { invalidThriftValue, notOneDefinition } from "./errors.js";
import { readGenerated } from "./generated/read-generated.js";
import { readIdl } from "./idl/read-idl.js";
import { loadThrift, type ThriftPackage } from "./load-thrift.js";
import { MessageCodec } from "./message.js";
import { type ThriftTool, thriftMethodTool } from "./method-tool.js";
import type { ThriftMethod, ThriftSource, ThriftToolsOptions } from "./options.js";
import { connectionOf } from "./thrift-connection.js";

/**
 * Makes a tool of each method of a Thrift service, inherited ones too. The service comes from IDL (`idlFile`, or `idl` as
 * text) or from the module that the compiler generated for it (`service`). Arguments and results are JSON: enums are names,
 * binary is base64, 64-bit integers are exact, maps whose keys are not strings are arrays of `{ key, value }`. An exception of
 * the service is an error of kind `execution`, caused by a `ToolCallError`. Needs the package `thrift`. Throws one error
 * that names the line of what is wrong in an IDL (`SCHEMA_INVALID`). `close` of the array closes a connection that was given as options.
 *
 * @example
 * const tools = await thriftTools({
 *   idl: "service Calculator { i64 add(1: i64 a, 2: i64 b) }",
 *   connection: { host: "127.0.0.1", port: 9090, transport: "framed" },
 * });
 * const node = new AgenticToolsNode(tools);
 */
export async function thriftTools(
  source: ThriftSource,
  options: ThriftToolsOptions = {},
): Promise<ClosableTools<ThriftTool>> {
  checkSource(source);
  checkOptions(where, options, { ...toolSourceOptions, timeoutMs: true });
  checkTimeout(where, options.timeoutMs);
  const connection = connectionOf(source.connection);
  const close = async (): Promise<void> => {
    if (connection !== source.connection) await connection.close?.();
  };
  try {
    const { multiplexed = false } = source;
    const { prefix = "" } = options;
    const thrift = await loadThrift();
    const selection = new ToolSelection<ThriftMethod>(options, { where, kind: "method", isNamed });
    const service = await readService(source, thrift, (method) => selection.has(method));
    const methods = service.methods.map((method) => ({ method, about: describe(service.name, method) }));
    selection.checkNames(
      methods.map(({ about }) => about),
      service.methods.map(({ name }) => name),
    );
    const serverName = multiplexed === true ? service.name : multiplexed;
    const codec = new MessageCodec(thrift, connection.protocol, service.name, serverName ? `${serverName}:` : "");
    const caller = { connection, codec, nextId: callIds() };
    const tools = methods
      .filter(({ about }) => selection.has(about))
      .map(({ about, method }) => thriftMethodTool(prefix + method.name, about, method, caller, options));
    const names = tools.map((tool) => tool.id);
    checkApprovalNames(where, options, names);
    return closable(tools, close);
  } catch (error) {
    await close();
    throw error;
  }
}

const where = "thriftTools";
const isNamed = ({ method }: ThriftMethod, name: string): boolean => method === name;

/** Numbers of calls, which start again when they no longer fit into 32 bits. */
function callIds(): () => number {
  let id = 0;
  return () => {
    id = (id % 2_147_483_647) + 1;
    return id;
  };
}

function describe(service: string, { name, isOneway, exceptions }: MethodDefinition): ThriftMethod {
  const names = exceptions.map(({ name: field, type }) => ("name" in type ? type.name : field));
  return { service, method: name, oneway: isOneway, exceptions: names };
}

async function readService(
  { service, idl, idlFile, includes = {}, includeFolders = [], serviceName }: ThriftSource,
  thrift: ThriftPackage,
  isIncluded: (method: ThriftMethod) => boolean,
): Promise<ServiceDefinition> {
  if (idl !== undefined) {
    const texts = new Map(Object.entries(includes));
    const find = async (path: string) => {
      const text = texts.get(path);
      return text === undefined ? undefined : { file: path, text };
    };
    return readIdl({ file: "idl", text: idl }, find, serviceName);
  }
  if (idlFile !== undefined) {
    const { includesFrom, readIdlFile } = await import("./idl/idl-files.js");
    return readIdl(await readIdlFile(idlFile), includesFrom(includeFolders), serviceName);
  }
  return readGenerated(service, thrift, isIncluded);
}

const isString = (value: unknown): boolean => typeof value === "string";

const sourceChecks = {
  idlFile: [(value) => isString(value) || value instanceof URL, "a path or a file URL"],
  includeFolders: [Array.isArray, "an array of folders"],
  idl: [isString, "the text of an IDL"],
  includes: [isFields, "a record of strings"],
  service: [(value) => isObject(value) || typeof value === "function", "a module"],
  serviceName: [isString, "a name"],
  connection: true,
  multiplexed: [(value) => typeof value === "boolean" || (isString(value) && value !== ""), "true, false or a name"],
} as const satisfies Readonly<Record<keyof ThriftSource, OptionCheck | true>>;

function checkSource(source: ThriftSource): void {
  checkOptions(`the source of ${where}`, source, sourceChecks);
  const { idl, idlFile, service, includes, includeFolders, serviceName } = source;
  const described = Object.entries({ service, idl, idlFile }).filter(([, value]) => value !== undefined);
  if (described.length !== 1) throw notOneDefinition(described.map(([name]) => name));
  const check = (name: keyof ThriftSource, isUsed: boolean, expected: string): void => {
    if (source[name] !== undefined && !isUsed) throw invalidThriftValue(where, name, expected, source[name]);
  };
  check("includes", includes === undefined || idl !== undefined, "a record of strings, together with idl");
  check("includeFolders", includeFolders === undefined || idlFile !== undefined, "a list of folders, beside idlFile");
  check("serviceName", serviceName === undefined || service === undefined, "a name, beside idl or idlFile");
}
