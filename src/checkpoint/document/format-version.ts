import { otherFormatVersion, unreadableCheckpoint } from "../checkpoint-errors.js";

/** The version of the format of documents and of history segments: the only one that is written, and read. */
export const formatVersion = 3;

/** `what`: what has the version, as the subject of a sentence. */
export function checkFormatVersion(version: unknown, what: string): void {
  if (version === formatVersion) return;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
    throw unreadableCheckpoint("it has no format version");
  }
  throw otherFormatVersion(what, version, formatVersion);
}
