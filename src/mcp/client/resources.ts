import type { NodeContext } from "../../components/context.js";
import type { Loader } from "../../components/retrieval.js";
import { isFields } from "../../is.js";
import type { Document } from "../../schema/document.js";
import { protocolError } from "../errors.js";
import { exchange, runContextOf } from "./exchange.js";
import type { InputAnswers } from "./input-answers.js";
import type { ServerLink } from "./link.js";

/** A resource as a server lists it. */
export interface McpResource {
  /** The address by which it is read. */
  readonly uri: string;
  /** The name of the resource. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string | undefined;
  /** The resource's description. */
  readonly description?: string | undefined;
  /** The type of its content, such as `text/markdown`. */
  readonly mimeType?: string | undefined;
}

/** Resources whose URIs follow a template (RFC 6570). */
export interface McpResourceTemplate {
  /** A template of RFC 6570, such as `file:///logs/{day}`. */
  readonly uriTemplate: string;
  /** The name of the template. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string | undefined;
  /** The resources' description. */
  readonly description?: string | undefined;
  /** The type of their content. */
  readonly mimeType?: string | undefined;
}

/** The content of a resource: text, or bytes in base64. */
export interface McpResourceContent {
  /** The address of the content. */
  readonly uri: string;
  /** The type of the content. */
  readonly mimeType?: string | undefined;
  /** The content as text. */
  readonly text?: string | undefined;
  /** The content as base64. */
  readonly blob?: string | undefined;
}

export async function listResources(link: ServerLink): Promise<McpResource[]> {
  const settings = { name: "resources/list", repeatable: true };
  const { resources } = await link.request((client) => client.listResources({}, { timeout: link.timeout }), settings);
  return resources as McpResource[];
}

export async function listResourceTemplates(link: ServerLink): Promise<McpResourceTemplate[]> {
  const settings = { name: "resources/templates/list", repeatable: true };
  const { resourceTemplates } = await link.request(
    (client) => client.listResourceTemplates({}, { timeout: link.timeout }),
    settings,
  );
  return resourceTemplates as McpResourceTemplate[];
}

/** Reads a resource. The request has no side effects, so it may be repeated. */
export async function readResource(
  link: ServerLink,
  answers: InputAnswers,
  uri: string,
  ctx: NodeContext | undefined,
): Promise<McpResourceContent[]> {
  const asker = { server: link.name, toolName: uri, toolCallId: "" };
  const scope = { server: link.name, name: uri, ctx, answer: answers.answerer(asker) };
  const signal = ctx?.signal;
  const { timeout } = link;
  const result = await exchange(scope, (more) =>
    link.inFlight.during({ toolName: uri, toolCallId: "", ctx: runContextOf(ctx) }, () =>
      link.request(
        (client) =>
          client.readResource({ uri, ...more } as never, {
            timeout,
            allowInputRequired: true,
            ...(signal && { signal }),
          }),
        { signal, name: uri, repeatable: true },
      ),
    ),
  );
  const contents = isFields(result) ? result.contents : undefined;
  if (!Array.isArray(contents)) throw protocolError(link.name, `sent no contents for the resource ${uri}.`);
  return contents;
}

/** Loads resources as documents. Bytes stay in base64, with `encoding: "base64"` in the metadata. */
export function resourceLoader(
  link: ServerLink,
  read: (source: { readonly uri: string }, ctx: NodeContext) => Promise<McpResourceContent[]>,
): Loader {
  return {
    component: "loader",
    type: "Mcp",
    load: async (source, ctx) => {
      const contents = await read(source, ctx);
      return contents.map((content, index) => documentOf(content, link.name, contents.length > 1 ? index : undefined));
    },
  };
}

function documentOf(
  { uri, mimeType, text, blob }: McpResourceContent,
  server: string,
  index: number | undefined,
): Document {
  const metadata: Record<string, unknown> = { source: uri, server };
  if (mimeType !== undefined) metadata.mimeType = mimeType;
  if (text === undefined) metadata.encoding = "base64";
  return { id: index === undefined ? uri : `${uri}#${index}`, content: text ?? blob ?? "", metadata };
}
