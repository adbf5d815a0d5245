import { ToolSelection } from "../define/tool-source.js";
import { clientStreamingUnsupported, noServices, sameName, unknownService } from "./errors.js";
import { optionOf } from "./fields.js";
import type { MethodPlace } from "./method-tool.js";
import type { GrpcMethod, GrpcToolsOptions } from "./options.js";
import { type Method, type Root, type Service, typeNameOf } from "./protobuf.js";

/** Types with services, and where they come from. */
export interface Described {
  readonly root: Root;
  /** Its name in errors. */
  readonly where: string;
  /** The services that the server has, when it was asked. Its files may declare others. */
  readonly offered?: readonly string[] | undefined;
}

/** The methods that tools are made of. Throws if the options name what is not there. */
export function findMethods({ root, where, offered }: Described, options: GrpcToolsOptions): MethodPlace[] {
  const { services } = options;
  const all = servicesIn(root);
  const names = offered ?? all.map(typeNameOf);
  for (const name of services ?? [])
    if (!names.some((known) => endsWith(known, name))) throw unknownService(name, names);
  if (all.length === 0) throw noServices(where);
  const isWanted = wantedServices(services);
  const wanted = all.map((service) => ({ service, name: typeNameOf(service) })).filter(({ name }) => isWanted(name));
  const methods = wanted.filter(({ name }) => names.includes(name)).flatMap(({ service }) => service.methodsArray);
  const places = methods.map(placeOf);
  const selection = new ToolSelection<GrpcMethod>(options, { where: "grpcTools", kind: "method", isNamed });
  selection.checkNames(
    places.map(({ about }) => about),
    methods.map(typeNameOf),
  );
  checkIncluded(places, options);
  return places.filter(({ about, method }) => method.requestStream !== true && selection.has(about));
}

/** Which services become tools: those that are named, else all but those of gRPC itself (reflection, health …). */
export function wantedServices(services: readonly string[] | undefined): (service: string) => boolean {
  if (services === undefined) return (service) => !service.startsWith("grpc.");
  return (service) => services.some((name) => endsWith(service, name));
}

/** Names of tools: of the service without its package, and the method; with the package where that is not unique. */
export function toolNames(places: readonly MethodPlace[], prefix: string): string[] {
  const short = places.map(({ about }) => `${prefix}${about.service.replace(/^.*\./, "")}_${about.method}`);
  const names = places.map(({ about }, index) => {
    const name = short[index] ?? "";
    const isUnique = short.indexOf(name) === short.lastIndexOf(name);
    return isUnique ? name : `${prefix}${about.service.replaceAll(".", "_")}_${about.method}`;
  });
  names.forEach((name, index) => {
    const first = names.indexOf(name);
    if (first !== index) throw sameName(name, places[first]?.about.path ?? "", places[index]?.about.path ?? "");
  });
  return names;
}

function servicesIn(root: Root): Service[] {
  const found: Service[] = [];
  const visit = ({ nestedArray }: Pick<Root, "nestedArray">): void => {
    for (const nested of nestedArray) {
      if ("methodsArray" in nested) found.push(nested as Service);
      else if ("nestedArray" in nested) visit(nested as Root);
    }
  };
  visit(root);
  return found;
}

/** Throws if `include` names a method that takes a stream. */
function checkIncluded(places: readonly MethodPlace[], { include }: GrpcToolsOptions): void {
  if (include === undefined || typeof include === "function") return;
  for (const name of include) {
    const streamed = places.find(({ about, method }) => method.requestStream === true && isNamed(about, name));
    if (streamed !== undefined) throw clientStreamingUnsupported(name, streamed.about.path);
  }
}

const isNamed = ({ service, method }: GrpcMethod, name: string): boolean => endsWith(`${service}.${method}`, name);

/** `acme.v1.Pets.GetPet` by `GetPet`, `Pets.GetPet`, `acme.v1.Pets/GetPet` … */
function endsWith(full: string, name: string): boolean {
  const dotted = name.replace(/^[/.]/, "").replaceAll("/", ".");
  return dotted !== "" && (full === dotted || full.endsWith(`.${dotted}`));
}

const pathOf = (method: Method): string => `/${typeNameOf(method).replace(/\.([^.]*)$/, "/$1")}`;

function placeOf(method: Method): MethodPlace {
  method.resolve();
  const { resolvedRequestType: request, resolvedResponseType: answer } = method;
  if (request === null || answer === null) throw new TypeError(`${pathOf(method)} lacks the types of its messages.`);
  return { about: aboutOf(method), method, request, answer };
}

function aboutOf(method: Method): GrpcMethod {
  const level = optionOf(method, "idempotency_level");
  const path = pathOf(method);
  return {
    service: path.slice(1, path.lastIndexOf("/")),
    method: method.name,
    path,
    isStreaming: method.responseStream === true,
    deprecated: optionOf(method, "deprecated") === true,
    idempotency: level === "NO_SIDE_EFFECTS" ? "no_side_effects" : level === "IDEMPOTENT" ? "idempotent" : undefined,
  };
}
