import type { ServiceDefinition } from "../definition.js";
import { idlInvalid, includeCycle, includeMissing, noService, serviceUnknown } from "../errors.js";
import type { IdlInclude, IdlService } from "./idl-document.js";
import { type LinkedDocument, linkService } from "./link-idl.js";
import { parseIdl } from "./parse-idl.js";

/** A file that was read: its name in errors, and its text. */
export interface IdlSource {
  readonly file: string;
  readonly text: string;
}

/** Finds what a file includes; `undefined` if it is nowhere. */
export type FindInclude = (path: string, from: string) => Promise<IdlSource | undefined>;

/** The service of a text of IDL: the one of that name, else the only one. */
export async function readIdl(
  source: IdlSource,
  find: FindInclude,
  serviceName: string | undefined,
): Promise<ServiceDefinition> {
  const scope = await readDocument(source, find, new Map(), []);
  const services = [...scope.document.definitions.values()].filter(({ kind }) => kind === "service") as IdlService[];
  return linkService(scope, chooseService(services, serviceName, source.file));
}

function chooseService(services: readonly IdlService[], wanted: string | undefined, file: string): IdlService {
  const names = services.map(({ name }) => name);
  if (wanted !== undefined) {
    const found = services.find(({ name }) => name === wanted);
    if (found === undefined) throw serviceUnknown(file, wanted, names);
    return found;
  }
  const [only, ...others] = services;
  if (only === undefined || others.length > 0) throw noService(file, names);
  return only;
}

async function readDocument(
  { file, text }: IdlSource,
  find: FindInclude,
  read: Map<string, Promise<LinkedDocument>>,
  around: readonly string[],
): Promise<LinkedDocument> {
  const document = parseIdl(text, file);
  const includes = new Map<string, LinkedDocument>();
  for (const include of document.includes) {
    const source = await findInclude(include, find, file);
    if (source.file === file || around.includes(source.file)) throw includeCycle(include.at, include.path);
    const linked = read.get(source.file) ?? readDocument(source, find, read, [...around, file]);
    read.set(source.file, linked);
    includes.set(prefixOf(include), await linked);
  }
  return { document, includes };
}

async function findInclude({ path, at }: IdlInclude, find: FindInclude, from: string): Promise<IdlSource> {
  const source = await find(path, from);
  if (source === undefined) throw includeMissing(at, path);
  return source;
}

/** `../shared/common.thrift` is `common` in names. */
function prefixOf({ path, at }: IdlInclude): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.thrift$/, "");
  if (name === "") throw idlInvalid(at, `${JSON.stringify(path)} is not the name of a file.`);
  return name;
}
