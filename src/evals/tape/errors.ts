import { KumikoError, messageOf } from "../../errors.js";
import { shorten } from "../../schema/shorten.js";
import { kindOf } from "../../wording.js";

export const invalidTape = (path: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "INVALID_TAPE",
    `The tape file "${path}" ${why}. Repair or delete it, and record it again.`,
    cause === undefined ? {} : { cause },
  );

export const newerTape = (path: string, version: unknown): KumikoError =>
  new KumikoError(
    "INVALID_TAPE",
    `The tape file "${path}" has version ${shorten(version)}, but this version of Kumiko reads version 1. Update Kumiko, or record the tape again.`,
  );

export const notRecordable = (what: string, path: string, kind: string): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `The result of ${what} cannot be kept on a tape: ${path === "" ? "it" : path} is ${kind}, which JSON cannot hold. Return plain JSON, or leave it off the tape.`,
  );

export const notVectors = (embedder: string, given: unknown, texts: readonly string[]): KumikoError => {
  const got = Array.isArray(given) ? `${given.length} values that are not all vectors` : kindOf(given);
  const what = Array.isArray(given) && given.length !== texts.length ? `${given.length} vectors` : got;
  return new KumikoError(
    "EMBEDDING_FAILED",
    `The embedder "${embedder}" returned ${what} for ${texts.length} texts, so nothing was kept on the tape. It must return one list of finite numbers per text.`,
  );
};

/** What a miss says about the recording that is most like the request. */
export interface Nearest {
  readonly file: string;
  readonly path: string;
  readonly recorded: string;
  readonly asked: string;
  /** A pattern for `ignore` with which both would be the same request. */
  readonly ignore: string | undefined;
}

export interface MissedRequest {
  readonly folder: string;
  readonly exists: boolean;
  readonly kind: string;
  readonly asked: string;
  readonly nearest: Nearest | undefined;
}

export const tapeMiss = ({ folder, exists, kind, asked, nearest }: MissedRequest): KumikoError => {
  const found = exists ? "" : " The folder does not exist.";
  return new KumikoError(
    "TAPE_MISS",
    `The tape "${folder}" has no answer for ${asked}.${found}${nearestText(kind, exists, nearest)}\n` +
      "To record it, run once with KUMIKO_TAPE=auto (what is missing) or KUMIKO_TAPE=record (everything), and commit the folder.",
  );
};

function nearestText(kind: string, exists: boolean, nearest: Nearest | undefined): string {
  if (nearest === undefined) return exists ? ` It has no recording of the kind "${kind}".` : "";
  const { file, path, recorded, asked, ignore } = nearest;
  const hint =
    ignore === undefined
      ? ""
      : `\nThey differ only in a date, a UUID or a Unix time. If it does not matter, pass ignore: [${ignore}].`;
  return `\nThe nearest recording is ${file}. The first difference is at ${path}:\n  recorded: ${recorded}\n  asked:    ${asked}${hint}`;
}

export const unreadableFolder = (folder: string, cause: unknown): KumikoError =>
  new KumikoError("INVALID_TAPE", `The tape "${folder}" cannot be read or written: ${messageOf(cause)}`, { cause });
