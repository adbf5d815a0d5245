import type { RequestContext } from "../../components/request-context.js";
import { messageOf } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import { type EntrySchemas, entryName, entryProblem } from "../list-entries.js";
import type { MCPServerOptions, MCPServerResource, MCPServerResources, MCPServerResourceTemplate } from "./options.js";
import { entriesOf, resourceContentOf } from "./returned-values.js";
import { failed, unknownResource, WireError } from "./wire-error.js";

/** The parts of the official package that clients use too, so that both sides agree. */
export interface ResourceRules {
  readonly schemas: EntrySchemas;
  /** Whether a URI matches a template. */
  matches(template: string, uri: string): boolean;
}

/** Answers requests for resources. */
export class ResourceCalls {
  readonly #resources: MCPServerResources;
  readonly #rules: ResourceRules;
  readonly #logger: NonNullable<MCPServerOptions["logger"]>;
  readonly #warned = new Set<string>();

  constructor(resources: MCPServerResources, rules: ResourceRules, logger: MCPServerOptions["logger"] = console) {
    this.#resources = resources;
    this.#rules = rules;
    this.#logger = logger;
  }

  async list(): Promise<Fields> {
    return { resources: (await this.#listed()).map((resource) => ({ ...resource })) };
  }

  async templates(): Promise<Fields> {
    return { resourceTemplates: (await this.#templates()).map((template) => ({ ...template })) };
  }

  async read(uri: string, requestContext: RequestContext): Promise<Fields> {
    let given: unknown;
    try {
      given = await this.#resources.getResourceContent({ uri, requestContext });
    } catch (error) {
      if (error instanceof WireError) throw error;
      // for a listed resource, reading has failed; any other one does not exist
      throw (await this.#isKnown(uri)) ? failed(messageOf(error)) : unknownResource(uri);
    }
    if (given === undefined || given === null) throw unknownResource(uri);
    const contents: readonly unknown[] = Array.isArray(given) ? given : [given];
    const isTyped = contents.every((content) => isFields(content) && content.mimeType !== undefined);
    const mimeType = isTyped ? undefined : await this.#mimeTypeOf(uri);
    return { contents: contents.map((content) => resourceContentOf(content, uri, mimeType)) };
  }

  async #listed(): Promise<MCPServerResource[]> {
    const given = entriesOf("listResources", await this.#resources.listResources());
    return this.#withoutOdd("Resource", given) as MCPServerResource[];
  }

  async #templates(): Promise<MCPServerResourceTemplate[]> {
    if (this.#resources.resourceTemplates === undefined) return [];
    const given = entriesOf("resourceTemplates", await this.#resources.resourceTemplates());
    return this.#withoutOdd("ResourceTemplate", given) as MCPServerResourceTemplate[];
  }

  /** Leaves out entries that MCP does not allow: a client would reject the whole list because of one of them. */
  #withoutOdd(type: "Resource" | "ResourceTemplate", entries: readonly unknown[]): unknown[] {
    return entries.filter((entry) => {
      const problem = entryProblem(this.#rules.schemas[type], entry);
      if (problem !== undefined) this.#warn(type, entryName(entry), problem);
      return problem === undefined;
    });
  }

  #warn(type: "Resource" | "ResourceTemplate", name: string, problem: string): void {
    const what = type === "Resource" ? "resource" : "resource template";
    const message = `The ${what} "${name}" of MCPServer is not listed, because MCP does not allow its fields: ${problem}.`;
    if (!this.#warned.has(message)) this.#logger.warn(message);
    this.#warned.add(message);
  }

  async #isKnown(uri: string): Promise<boolean> {
    if ((await this.#listed()).some((resource) => resource.uri === uri)) return true;
    return (await this.#templates()).some(({ uriTemplate }) => this.#rules.matches(uriTemplate, uri));
  }

  async #mimeTypeOf(uri: string): Promise<string | undefined> {
    const listed = (await this.#listed()).find((resource) => resource.uri === uri)?.mimeType;
    if (listed !== undefined) return listed;
    return (await this.#templates()).find(({ uriTemplate }) => this.#rules.matches(uriTemplate, uri))?.mimeType;
  }
}
