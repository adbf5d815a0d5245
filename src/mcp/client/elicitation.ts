import type { NodeContext } from "../../components/context.js";
import { type Fields, isFields } from "../../is.js";
import { shorten } from "../../schema/shorten.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption, protocolError } from "../errors.js";
import type { ElicitationAnswer, ElicitationHandler, ElicitationQuestion, McpOptions } from "./options.js";

/** The server and tool call that a question comes from. */
export interface Asker {
  readonly server: string;
  readonly toolName: string;
  readonly toolCallId: string;
}

/** Answers an elicitation that a server returned as a result: by an interrupt, unless the options say otherwise. */
export async function answerElicitation(
  key: string,
  params: Fields,
  asker: Asker,
  mode: NonNullable<McpOptions["elicitation"]>,
  ctx: NodeContext,
): Promise<ElicitationAnswer> {
  if (mode === "decline") return { action: "decline" };
  const question = questionOf(params, asker);
  const schema = answerSchemaOf(params);
  if (typeof mode === "function") {
    const { signal, requestContext } = ctx;
    return ctx.once(`${key}:answer`, async () =>
      withDefaults(checkedAnswer(await mode(question, { signal, schema, requestContext })), params),
    );
  }
  return withDefaults(await ctx.ask<ElicitationAnswer>(key, question, schema), params);
}

/** Answers an elicitation that a server sent during a call (revisions before 2026-07-28). */
export async function answerInCall(
  params: Fields,
  asker: Asker,
  mode: "decline" | ElicitationHandler,
  signal: AbortSignal,
  ctx: NodeContext | undefined,
): Promise<ElicitationAnswer> {
  if (mode === "decline") return { action: "decline" };
  const context = { signal, schema: answerSchemaOf(params), requestContext: ctx?.requestContext };
  return withDefaults(checkedAnswer(await mode(questionOf(params, asker), context)), params);
}

function questionOf(params: Fields, asker: Asker): ElicitationQuestion {
  const { message, url } = params;
  const isPage = params.mode === "url";
  // a page for the user's browser, where other schemes may run code
  if (isPage && !(typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    throw protocolError(asker.server, `asked the user to open ${shorten(url)}, which is not an http or https address.`);
  return {
    kind: "mcp_elicitation",
    ...asker,
    mode: isPage ? "url" : "form",
    message: typeof message === "string" ? message : "",
    ...(isPage && typeof url === "string" && { url }),
  };
}

/** The result of the function `elicitation`. */
function checkedAnswer(given: unknown): ElicitationAnswer {
  const { action, content } = isFields(given) ? given : {};
  if (action === "accept" || action === "decline" || action === "cancel") {
    if (content === undefined) return { action };
    if (isFields(content)) return { action, content };
  }
  const got = isFields(given) ? `action: ${JSON.stringify(action)}, content: ${kindOf(content)}` : kindOf(given);
  throw invalidMcpOption(
    `elicitation of connectMcp must return { action: "accept", content: { … } }, or the action "decline" or "cancel" (got ${got}).`,
  );
}

/** The schema of an answer: the action of the user and, for an accepted form, its content. */
function answerSchemaOf({ mode, requestedSchema }: Fields): JsonSchema {
  const action = { enum: ["accept", "decline", "cancel"] };
  if (mode === "url" || !isFields(requestedSchema)) {
    return { type: "object", properties: { action, content: { type: "object" } }, required: ["action"] };
  }
  // fields with a default may be left out
  const { required } = requestedSchema;
  const properties = isFields(requestedSchema.properties) ? requestedSchema.properties : {};
  const needed = (Array.isArray(required) ? required : []).filter((name) => defaultOf(properties[name]) === undefined);
  const content = { ...requestedSchema, required: needed };
  return {
    type: "object",
    properties: { action, content },
    required: ["action"],
    ...(needed.length > 0 && {
      anyOf: [{ properties: { action: { enum: ["decline", "cancel"] } } }, { required: ["content"] }],
    }),
  };
}

function withDefaults({ action, content }: ElicitationAnswer, { mode, requestedSchema }: Fields): ElicitationAnswer {
  if (action !== "accept") return { action };
  if (mode === "url") return { action };
  const properties =
    isFields(requestedSchema) && isFields(requestedSchema.properties) ? requestedSchema.properties : {};
  const defaults = Object.entries(properties).flatMap(([name, schema]) => {
    const value = defaultOf(schema);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { action, content: { ...Object.fromEntries(defaults), ...content } };
}

function defaultOf(schema: unknown): unknown {
  return isFields(schema) ? schema.default : undefined;
}
