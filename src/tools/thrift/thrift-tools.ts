import { checkOptions } from "../../check-options.js";
import { type Fields, isFields } from "../../is.js";
import { checkApprovalNames } from "../define/approval-option.js";
import type { MethodDefinition, ServiceDefinition } from "./definition.js";
import { invalidThriftValue, notOneDefinition, unknownFilterName } from "./errors.js";
import { readGenerated } from "./generated/read-generated.js";
import { readIdl } from "./idl/read-idl.js";
import { loadThrift, type ThriftPackage } from "./load-thrift.js";
import { MessageCodec } from "./message.js";
import { type ThriftTool, thriftMethodTool } from "./method-tool.js";
import type { ThriftMethod, ThriftToolsOptions } from "./options.js";
import { connectionOf } from "./thrift-connection.js";

/**
 * Makes a tool of each method of a Thrift service, inherited ones too. The service comes from IDL (`idlFile`, or `idl` as
 * text) or from the module that the compiler generated for it (`service`). Arguments and results are JSON: enums are names,
 * binary is base64, 64-bit integers are exact, maps whose keys are not strings are arrays of `{ key, value }`. An exception of
 * the service is an error of kind `execution`, caused by a {@link ToolCallError}. Needs the package `thrift`. Throws one error
 * that names the line of what is wrong in an IDL (`SCHEMA_INVALID`).
 *
 * @example
 * const tools = await thriftTools({
 *   idl: "service Calculator { i64 add(1: i64 a, 2: i64 b) }",
 *   connection: { host: "127.0.0.1", port: 9090, transport: "framed" },
 * });
 * const node = new AgenticToolsNode(tools);
 */
export async function thriftTools(options: ThriftToolsOptions): Promise<ThriftTool[]> {
  checkThriftOptions(options);
  const connection = connectionOf(options.connection);
  const thrift = await loadThrift();
  const { multiplexed = false, prefix = "" } = options;
  const include = inclusion(options);
  const service = await readService(options, thrift, include);
  const serverName = multiplexed === true ? service.name : multiplexed;
  const codec = new MessageCodec(thrift, connection.protocol, service.name, serverName ? `${serverName}:` : "");
  let id = 0;
  const nextId = (): number => {
    id = (id % 2_147_483_647) + 1;
    return id;
  };
  const tools = service.methods
    .filter((method) => include(describe(service.name, method)))
    .map((method) =>
      thriftMethodTool(
        prefix + method.name,
        describe(service.name, method),
        method,
        { connection, codec, nextId },
        options,
      ),
    );
  checkIncluded(options, service);
  const names = tools.map((tool) => tool.id);
  checkApprovalNames("thriftTools", options, names);
  return tools;
}

type Include = (method: ThriftMethod) => boolean;

function describe(service: string, { name, isOneway, exceptions }: MethodDefinition): ThriftMethod {
  const names = exceptions.map(({ name: field, type }) => ("name" in type ? type.name : field));
  return { service, method: name, oneway: isOneway, exceptions: names };
}

async function readService(
  { service, idl, idlFile, includes = {}, includeFolders = [], serviceName }: ThriftToolsOptions,
  thrift: ThriftPackage,
  include: Include,
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
  return readGenerated(service, thrift, include);
}

function inclusion({ include }: ThriftToolsOptions): Include {
  if (typeof include === "function") return include;
  return include === undefined ? () => true : ({ method }) => include.includes(method);
}

function checkIncluded({ include }: ThriftToolsOptions, { methods }: ServiceDefinition): void {
  if (typeof include !== "object") return;
  const names = methods.map(({ name }) => name);
  const unknown = include.find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownFilterName(unknown, names);
}

const optionNames = [
  ...["idlFile", "includeFolders", "idl", "includes", "service", "serviceName", "connection", "multiplexed"],
  ...["include", "prefix", "timeoutMs", "requireApproval"],
];
const where = "thriftTools";

function checkThriftOptions(given: object): asserts given is ThriftToolsOptions {
  checkOptions(where, given, optionNames);
  const options: Fields = { ...given };
  const sources = ["service", "idl", "idlFile"].filter((name) => options[name] !== undefined);
  if (sources.length !== 1) throw notOneDefinition(sources);
  const { idl, idlFile, includes, includeFolders, prefix, serviceName, multiplexed, include } = options;
  const check = (name: string, isRight: boolean, expected: string): void => {
    if (options[name] !== undefined && !isRight) throw invalidThriftValue(where, name, expected, options[name]);
  };
  check("idl", typeof idl === "string", "the text of an IDL");
  check("idlFile", typeof idlFile === "string" || idlFile instanceof URL, "a path or a file URL");
  check("includes", isFields(includes) && idl !== undefined, "a record of strings, together with idl");
  check("includeFolders", Array.isArray(includeFolders) && idlFile !== undefined, "a list of folders, beside idlFile");
  check(
    "serviceName",
    typeof serviceName === "string" && options.service === undefined,
    "a name, beside idl or idlFile",
  );
  check("prefix", typeof prefix === "string", "a string");
  check(
    "multiplexed",
    typeof multiplexed === "boolean" || (typeof multiplexed === "string" && multiplexed !== ""),
    "true, false or a name",
  );
  check("include", Array.isArray(include) || typeof include === "function", "a list of names or a function");
}
