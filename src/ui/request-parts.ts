import { encodedId } from "../agents/call-settings.js";
import {
  userInputAudio,
  userInputFile,
  userInputImage,
  userInputText,
  userInputVideo,
} from "../schema/message/construct-block.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { invalidRequest } from "./errors.js";

/** The longest id of a thread or message. */
const maxIdLength = 256;

export function threadIdOf(given: unknown, field: string): string {
  if (typeof given === "string" && encodedId(given) !== undefined) return given;
  throw invalidRequest(`${field} of the request must be a string of 1 to ${maxIdLength} characters, percent-encoded.`);
}

/** The message id of the client, which is saved in the thread. An invalid one is ignored. */
export function messageIdOf(given: unknown): string | undefined {
  return typeof given === "string" && given !== "" && given.length <= maxIdLength ? given : undefined;
}

/** Answers by the ids of their interrupts, which are random. Whoever knows the graph could guess the addresses of questions. */
export function answersById(entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  const answers = Object.fromEntries(entries);
  if (Object.hasOwn(answers, "byAddress")) throw invalidRequest("Answers of a client must name the ids of interrupts.");
  return answers;
}

export function textBlock(text: string): ContentBlock {
  return userInputText(text);
}

export interface GivenMedia {
  /** An `https:`, `http:` or `data:` URL. */
  readonly address?: unknown;
  readonly base64Data?: unknown;
  readonly mimeType?: unknown;
  readonly name?: unknown;
}

/** Converts a file of the request to a content block for its media type. */
export function mediaBlock({ address, base64Data, mimeType, name }: GivenMedia): ContentBlock {
  const data = typeof address === "string" ? dataUrl.exec(address) : null;
  const type = nonEmptyString(mimeType) ?? data?.[1];
  const fields = withoutUndefined({
    url: data === null ? urlOf(address) : undefined,
    base64Data: data?.[2] ?? nonEmptyString(base64Data),
    mimeType: type,
  });
  if (fields.url === undefined && fields.base64Data === undefined) {
    throw invalidRequest("A file in the message must have an https:, http: or data: URL, or base64 data.");
  }
  switch (type?.split("/")[0]) {
    case "image":
      return userInputImage(fields);
    case "audio":
      return userInputAudio(fields);
    case "video":
      return userInputVideo(fields);
    default:
      return userInputFile(withoutUndefined({ ...fields, name: nonEmptyString(name) }));
  }
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,([A-Za-z0-9+/=_-]*)$/;

function urlOf(address: unknown): string | undefined {
  if (typeof address !== "string" || !URL.canParse(address)) return undefined;
  return ["https:", "http:"].includes(new URL(address).protocol) ? address : undefined;
}

function nonEmptyString(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
