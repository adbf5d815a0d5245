import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";
import { kindOf, list } from "../wording.js";

export const invalidEvalOption = (message: string): KumikoError => new KumikoError("INVALID_OPTION", message);

// tapes

export const invalidFolder = (given: unknown): KumikoError =>
  invalidEvalOption(`The folder of cassette must be a non-empty string (got ${kindOf(given)}).`);

export const folderIsFile = (folder: string): KumikoError =>
  invalidEvalOption(`The folder of cassette is a file: "${folder}". A tape is a folder with one file per request.`);

export const invalidTapeMode = (name: string, given: unknown): KumikoError =>
  invalidEvalOption(`${name} must be "replay", "auto" or "record" (got ${shorten(given)}).`);

export const notAFunction = (where: string, given: unknown): KumikoError =>
  invalidEvalOption(`${where} must be a function (got ${kindOf(given)}).`);

export const notATapedTool = (where: string, given: unknown): KumikoError =>
  invalidEvalOption(`${where} is not a tool (got ${kindOf(given)}).`);

export const notATapedEmbedder = (given: unknown): KumikoError =>
  invalidEvalOption(
    `tape.embedder takes an embedder component or an embedding model of the AI SDK (got ${kindOf(given)}).`,
  );

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

// trajectories

export const noCalls = (given: unknown): KumikoError =>
  invalidEvalOption(
    `calls takes the result of an agent, messages, or a trace (got ${kindOf(given)}). Pass what agent.generate returned, or traceRecorder().toJSON().`,
  );

export const notCalls = (where: string, given: unknown): KumikoError =>
  invalidEvalOption(
    `${where} of matchCalls must be a list (got ${kindOf(given)}). Pass what calls(…) returned, and the expected calls.`,
  );

export const invalidExpected = (where: string, why: string): KumikoError =>
  invalidEvalOption(`${where} of matchCalls ${why}.`);

// scores and reports

export const invalidScorers = (why: string): KumikoError => invalidEvalOption(`scorers of evaluate ${why}`);

export const invalidCases = (why: string): KumikoError =>
  new KumikoError("VALIDATION", `The cases of the evaluation are invalid: ${why}`);

export const invalidReport = (where: string, why: string): KumikoError =>
  invalidEvalOption(`${where} ${why}. Pass a report of evaluate.`);

export const duplicateCase = (id: string): KumikoError =>
  invalidCases(`two have the id "${id}". Ids must differ, because reports and comparisons name cases by them.`);

export const invalidJudge = (why: string): KumikoError => invalidEvalOption(`judge: ${why}`);

export const unknownNames = (names: readonly string[]): string => list(names);
