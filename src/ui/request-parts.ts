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

/** Longer ids are no ids of threads and messages. */
const longestId = 256;

export function threadIdOf(given: unknown, field: string): string {
  if (typeof given === "string" && given !== "" && given.length <= longestId) return given;
  throw invalidRequest(`${field} of the request must be a text of 1 to ${longestId} characters: the id of the thread.`);
}

/** What the client calls its message: the thread keeps it, and nothing else depends on it. */
export function messageIdOf(given: unknown): string | undefined {
  return typeof given === "string" && given !== "" && given.length <= longestId ? given : undefined;
}

export function textBlock(text: string): ContentBlock {
  return userInputText(text);
}

export interface GivenMedia {
  /** An `https:`, `http:` or `data:` address. */
  readonly address?: unknown;
  readonly base64Data?: unknown;
  readonly mimeType?: unknown;
  readonly name?: unknown;
}

/** A file that the user sent along, as a block of its kind. */
export function mediaBlock({ address, base64Data, mimeType, name }: GivenMedia): ContentBlock {
  const data = typeof address === "string" ? dataUrl.exec(address) : null;
  const type = textIf(mimeType) ?? data?.[1];
  const fields = withoutUndefined({
    url: data === null ? urlOf(address) : undefined,
    base64Data: data?.[2] ?? textIf(base64Data),
    mimeType: type,
  });
  if (fields.url === undefined && fields.base64Data === undefined) {
    throw invalidRequest("A file in the message must have an https:, http: or data: address, or be base64 text.");
  }
  switch (type?.split("/")[0]) {
    case "image":
      return userInputImage(fields);
    case "audio":
      return userInputAudio(fields);
    case "video":
      return userInputVideo(fields);
    default:
      return userInputFile(withoutUndefined({ ...fields, name: textIf(name) }));
  }
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,([A-Za-z0-9+/=_-]*)$/;

function urlOf(address: unknown): string | undefined {
  if (typeof address !== "string" || !URL.canParse(address)) return undefined;
  return ["https:", "http:"].includes(new URL(address).protocol) ? address : undefined;
}

function textIf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
