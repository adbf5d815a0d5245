import { KumikoError } from "../errors.js";
import { shorten } from "../schema/shorten.js";
import type { StandardIssue } from "../schema/standard-schema.js";
import { issueText, list } from "../wording.js";

export const invalidMastraOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

/** Throws for what is not an object, and for an option that does not exist. */
export function checkMastraOptions(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalidMastraOption(`The options of ${where} must be an object (got ${shorten(options)}).`);
  }
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other === undefined) return;
  throw invalidMastraOption(`Unknown option "${other}" of ${where}. Options: ${known.join(", ")}.`);
}

export const bothOfPair = (where: string, first: string, second: string): KumikoError =>
  invalidMastraOption(
    `${where} was given both ${first} and ${second}, which are two names of one option. Give one of them.`,
  );

export const notRegistered = (kind: string, key: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_ENTRY",
    `${kind} "${key}" is not registered with this Mastra. Add it to ${kind.toLowerCase()}s of new Mastra({ … }). ` +
      `Registered: ${list(known)}.`,
  );

// building workflows

export const invalidStep = (what: string): KumikoError => new KumikoError("INVALID_NODE", what);

export const duplicateStep = (workflow: string, id: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_NODE",
    `Workflow "${workflow}" has two steps with the id "${id}", and results are kept by id. ` +
      `Give the second one an id of its own: cloneStep(step, { id: "…" }).`,
  );

export const unknownStep = (workflow: string, where: string, id: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_NODE",
    `${where} of workflow "${workflow}" names step "${id}", which the workflow does not have. Steps: ${list(known)}.`,
  );

export const emptyWorkflow = (id: string): KumikoError =>
  new KumikoError("EMPTY_GRAPH", `Workflow "${id}" has no steps. Add one with .then(step) before .commit().`);

export const notCommitted = (id: string): KumikoError =>
  new KumikoError(
    "INVALID_CHAIN",
    `Workflow "${id}" has uncommitted changes. Call .commit() after its last step, then createRun().`,
  );

// running workflows

/** Identifies a checked value: which schema, and of which step of which workflow. */
export interface CheckedValue {
  readonly workflow: string;
  readonly step?: string | undefined;
  /** `input`, `output`, `resume data` … */
  readonly what: string;
}

export const doesNotFit = (
  { workflow, step, what }: CheckedValue,
  issues: readonly StandardIssue[],
  code: "VALIDATION" | "ANSWER_MISMATCH" = "VALIDATION",
): KumikoError => {
  const owner = step === undefined ? `workflow "${workflow}"` : `step "${step}" of workflow "${workflow}"`;
  return new KumikoError(
    code,
    `The ${what} of ${owner} does not fit its schema: ${issues.map(issueText).join("; ")}.`,
    { nodePath: step === undefined ? [] : [step], cause: { issues } },
  );
};

export const notAList = (workflow: string, step: string, given: unknown): KumikoError =>
  new KumikoError(
    "VALIDATION",
    `.foreach of step "${step}" in workflow "${workflow}" needs a list, but got ${shorten(given)}.`,
    { nodePath: [step] },
  );

export const pathToNowhere = (workflow: string, field: string, path: string, source: string): KumikoError =>
  new KumikoError(
    "VALIDATION",
    `.map of workflow "${workflow}" cannot fill "${field}": ${source} has nothing at path "${path}".`,
    { nodePath: [field] },
  );

export const noResultYet = (workflow: string, field: string, steps: readonly string[]): KumikoError =>
  new KumikoError(
    "VALIDATION",
    `.map of workflow "${workflow}" cannot fill "${field}": step ${list(steps)} has not run.`,
    { nodePath: [field] },
  );

export const notSuspended = (workflow: string, runId: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `Run "${runId}" of workflow "${workflow}" is not suspended: there is nothing to resume.`,
    {
      cause,
    },
  );

export const stepNotSuspended = (workflow: string, step: string, waiting: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_INTERRUPT",
    `Step "${step}" of workflow "${workflow}" is not suspended. Suspended: ${list(waiting)}.`,
  );

export const ambiguousResume = (workflow: string, waiting: readonly string[]): KumikoError =>
  new KumikoError(
    "AMBIGUOUS_INTERRUPT",
    `Workflow "${workflow}" waits in ${waiting.length} places: ${list(waiting)}. ` +
      "Say which one is resumed: resume({ step, resumeData }), and with forEachIndex for an item of .foreach.",
  );

export const cannotWait = (workflow: string, why: string): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `Workflow "${workflow}" was suspended, but its run could not be saved: its input is not data. ${why}`,
  );

export const declined = (tool: string, reason: string | undefined): KumikoError =>
  new KumikoError("TOOL_FAILED", `Tool "${tool}" was not approved${reason === undefined ? "." : `: ${reason}`}`);

// serving

export const noMiddlewareResponse = (path: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The middleware for ${path} neither called next() nor gave an answer. End it with await next(), or return a Response.`,
  );

export const invalidBody = (what: string): KumikoError =>
  new KumikoError("INVALID_REQUEST", `The body of the request ${what}.`);
