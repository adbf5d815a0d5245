import type { Fields } from "../../is.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { invalidMedia } from "../errors.js";
import type { AiSdkVersion } from "./provider-model.js";

/** The media fields of a content block. */
export interface MediaSource {
  readonly type: string;
  readonly url?: string | undefined;
  readonly base64Data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly name?: string | undefined;
}

/** Converts media to a prompt part. V4 tags the data; earlier specs take a `URL`, or a string of base64. */
export function filePart(media: MediaSource, version: AiSdkVersion): Fields {
  const { data, mediaType } = fileData(media);
  return withoutUndefined({
    type: "file",
    data: version === "v4" ? tagged(data) : data,
    mediaType,
    filename: media.name,
  });
}

export function tagged(data: string | URL): Fields {
  return typeof data === "string" ? { type: "data", data } : { type: "url", url: data };
}

/** Returns the base64 data or the URL. A `data:` URL is decoded. */
export function fileData({ type, url, base64Data, mimeType }: MediaSource): { data: string | URL; mediaType: string } {
  const fallback = mimeType ?? defaultTypes.get(type.split("_").at(-1) ?? "") ?? "application/octet-stream";
  if (base64Data !== undefined) return { data: base64Data, mediaType: fallback };
  if (url === undefined) throw invalidMedia(`A block of type ${type} has neither url nor base64Data. Set one of them.`);
  const embedded = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s.exec(url);
  if (embedded === null) return { data: urlOf(url, type), mediaType: fallback };
  const [, mediaType = "", parameters = "", content = ""] = embedded;
  const data = parameters.endsWith(";base64") ? content : base64Of(decodeURIComponent(content));
  return { data, mediaType: mimeType ?? (mediaType || fallback) };
}

const defaultTypes: ReadonlyMap<string, string> = new Map([
  ["image", "image/*"],
  ["audio", "audio/*"],
  ["video", "video/*"],
]);

function urlOf(url: string, type: string): URL {
  try {
    return new URL(url);
  } catch {
    throw invalidMedia(`The url of a block of type ${type} is not an absolute URL (got ${JSON.stringify(url)}).`);
  }
}

function base64Of(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
