import type { RequestContext } from "../../components/request-context.js";
import { messageOf } from "../../errors.js";
import type { Fields } from "../../is.js";
import type { MCPServerResourceContent, MCPServerResources } from "./options.js";
import { failed, unknownResource, WireError } from "./wire-error.js";

/** Whether a URI matches a template. The SDK decides, so that clients and servers agree. */
export type MatchesTemplate = (template: string, uri: string) => boolean;

/** Answers requests for resources. */
export class ResourceCalls {
  readonly #resources: MCPServerResources;
  readonly #matches: MatchesTemplate;

  constructor(resources: MCPServerResources, matches: MatchesTemplate) {
    this.#resources = resources;
    this.#matches = matches;
  }

  async list(): Promise<Fields> {
    const resources = await this.#resources.listResources();
    return { resources: resources.map((resource) => ({ ...resource })) };
  }

  async templates(): Promise<Fields> {
    const resourceTemplates = (await this.#resources.resourceTemplates?.()) ?? [];
    return { resourceTemplates: resourceTemplates.map((template) => ({ ...template })) };
  }

  async read(uri: string, requestContext: RequestContext): Promise<Fields> {
    let given: MCPServerResourceContent | readonly MCPServerResourceContent[];
    try {
      given = await this.#resources.getResourceContent({ uri, requestContext });
    } catch (error) {
      if (error instanceof WireError) throw error;
      // for a listed resource, reading has failed; any other one does not exist
      throw (await this.#isKnown(uri)) ? failed(messageOf(error)) : unknownResource(uri);
    }
    if (given === undefined || given === null) throw unknownResource(uri);
    const contents: readonly MCPServerResourceContent[] = Array.isArray(given) ? given : [given];
    const mimeType = contents.every((content) => content.mimeType !== undefined)
      ? undefined
      : await this.#mimeTypeOf(uri);
    return { contents: contents.map((content) => contentOf(content, uri, mimeType)) };
  }

  async #isKnown(uri: string): Promise<boolean> {
    const resources = await this.#resources.listResources();
    if (resources.some((resource) => resource.uri === uri)) return true;
    const templates = (await this.#resources.resourceTemplates?.()) ?? [];
    return templates.some(({ uriTemplate }) => this.#matches(uriTemplate, uri));
  }

  async #mimeTypeOf(uri: string): Promise<string | undefined> {
    const resources = await this.#resources.listResources();
    const listed = resources.find((resource) => resource.uri === uri)?.mimeType;
    if (listed !== undefined) return listed;
    const templates = (await this.#resources.resourceTemplates?.()) ?? [];
    return templates.find(({ uriTemplate }) => this.#matches(uriTemplate, uri))?.mimeType;
  }
}

function contentOf(
  { uri, mimeType, text, blob }: MCPServerResourceContent,
  asked: string,
  listed: string | undefined,
): Fields {
  if ((text === undefined) === (blob === undefined)) {
    throw failed(`The content of ${asked} must have either text or blob.`);
  }
  const type = mimeType ?? listed;
  return {
    uri: uri ?? asked,
    ...(type !== undefined && { mimeType: type }),
    ...(text === undefined ? { blob } : { text }),
  };
}
