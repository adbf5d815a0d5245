import { KumikoError } from "../errors.js";
import { shorten } from "../schema/shorten.js";
import { kindOf } from "../wording.js";

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

export const wrapNeedsName = (): KumikoError =>
  invalidEvalOption('tape.wrap needs a name: tape.wrap("search", search).');

// trajectories

export const noCalls = (given: unknown): KumikoError =>
  invalidEvalOption(
    `calls takes the result of an agent, messages, or a trace (got ${kindOf(given)}). Pass what agent.generate returned, or traceRecorder().toJSON().`,
  );

export const notCalls = (where: string, given: unknown): KumikoError =>
  invalidEvalOption(
    `${where} of matchCalls must be a list of calls (got ${Array.isArray(given) ? "a list with something else" : kindOf(given)}). Pass what calls(…) returned, and the expected calls.`,
  );

export const invalidExpected = (where: string, why: string): KumikoError =>
  invalidEvalOption(`${where} of matchCalls ${why}.`);

// scores and reports

export const invalidScorers = (why: string): KumikoError => invalidEvalOption(`scorers of evaluate ${why}`);

export const invalidCases = (why: string): KumikoError =>
  invalidEvalOption(`The cases of the evaluation are invalid: ${why}`);

export const invalidReport = (where: string, why: string): KumikoError =>
  invalidEvalOption(`${where} ${why}. Pass a report of evaluate.`);

export const duplicateCase = (id: string): KumikoError =>
  invalidCases(`two have the id "${id}". Ids must differ, because reports and comparisons name cases by them.`);

export const invalidJudge = (why: string): KumikoError => invalidEvalOption(`judge: ${why}`);
