import { KumikoError } from "../errors.js";
import { schemaProblem } from "../schema/json-schema/schema-problem.js";
import { shorten } from "../schema/shorten.js";
import type { StandardIssue } from "../schema/standard-schema.js";
import { issueText, list } from "../wording.js";

export const invalidMastraOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

/** Throws for an argument that Mastra has and this package does not, so that it is not dropped without a word. */
export function checkNoMore(where: string, rest: readonly unknown[]): void {
  const given = rest.find((argument) => argument !== undefined);
  if (given !== undefined) throw invalidMastraOption(`${where} takes no further argument (got ${shorten(given)}).`);
}

/** Throws if an option that takes a schema has something else, such as a record of schemas. */
export function checkMastraSchemas(where: string, schemas: Readonly<Record<string, unknown>>): void {
  for (const option of Object.keys(schemas)) {
    const given = schemas[option];
    const problem = given === undefined ? undefined : schemaProblem(given);
    if (problem !== undefined) throw invalidMastraOption(`${option} of ${where} ${problem}`);
  }
}

export const bothOfPair = (where: string, first: string, second: string): KumikoError =>
  invalidMastraOption(
    `${where} was given both ${first} and ${second}, which are two names of the same option. Pass only one of them.`,
  );

export const notRegistered = (kind: string, key: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_ENTRY",
    `${kind} "${key}" is not registered with this Mastra. Add it to ${kind === "MCPServer" ? "mcpServers" : `${kind.toLowerCase()}s`} of new Mastra({ … }). ` +
      `Registered: ${list(known)}.`,
  );

// agents

export const noNetworks = (agent: string): KumikoError =>
  invalidMastraOption(
    `Agent "${agent}" has no network(): agent networks are not supported. Use the option handoffs, or other agents as tools (agent.asTool()).`,
  );

export const ambiguousCall = (agent: string, calls: readonly string[]): KumikoError =>
  new KumikoError(
    "AMBIGUOUS_INTERRUPT",
    `${calls.length} calls of agent "${agent}" wait for an answer: ${list(calls)}. Choose one with toolCallId.`,
  );

export const callNotSuspended = (agent: string, toolCallId: string, calls: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_INTERRUPT",
    `Call "${toolCallId}" of agent "${agent}" does not wait for this answer. Calls that do: ${list(calls)}.`,
  );

export const noSuspendedCall = (agent: string, runId: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_INTERRUPT",
    `Run ${shorten(runId)} of agent "${agent}" does not wait for this answer. Resume it with resume(runId, answers).`,
  );

// building workflows

export const invalidStep = (what: string): KumikoError => new KumikoError("INVALID_NODE", what);

export const duplicateStep = (workflow: string, id: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_NODE",
    `Workflow "${workflow}" has two steps with the id "${id}". Ids must be unique, because results are stored by id. ` +
      `Give the second step another id: cloneStep(step, { id: "…" }).`,
  );

export const unknownStep = (workflow: string, where: string, id: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_NODE",
    `${where} of workflow "${workflow}" refers to step "${id}", which is not in the workflow. Steps: ${list(known)}.`,
  );

export const emptyWorkflow = (id: string): KumikoError =>
  new KumikoError("EMPTY_GRAPH", `Workflow "${id}" has no steps. Add one with .then(step) before .commit().`);

export const notCommitted = (id: string): KumikoError =>
  new KumikoError(
    "INVALID_CHAIN",
    `Workflow "${id}" has uncommitted changes. Call .commit() after its last step, then createRun().`,
  );

// running workflows

/** Identifies a checked value in error messages. */
export interface CheckedValue {
  readonly workflow: string;
  readonly step?: string | undefined;
  /** `input`, `output`, `resume data` … */
  readonly what: string;
}

export const doesNotMatch = (
  { workflow, step, what }: CheckedValue,
  issues: readonly StandardIssue[],
  code: "VALIDATION" | "ANSWER_MISMATCH" = "VALIDATION",
): KumikoError => {
  const owner = step === undefined ? `workflow "${workflow}"` : `step "${step}" of workflow "${workflow}"`;
  return new KumikoError(
    code,
    `The ${what} of ${owner} does not match its schema: ${issues.map(issueText).join("; ")}.`,
    { nodePath: step === undefined ? [] : [step], cause: { issues } },
  );
};

export const notAnArray = (workflow: string, step: string, given: unknown): KumikoError =>
  new KumikoError(
    "VALIDATION",
    `.foreach of step "${step}" in workflow "${workflow}" needs an array as its input (got ${shorten(given)}).`,
    { nodePath: [step] },
  );

export const pathNotFound = (workflow: string, field: string, path: string, source: string): KumikoError =>
  new KumikoError(
    "VALIDATION",
    `.map of workflow "${workflow}" cannot fill "${field}": ${source} has no value at path "${path}".`,
    { nodePath: [field] },
  );

export const stepHasNotRun = (workflow: string, field: string, steps: readonly string[]): KumikoError =>
  new KumikoError(
    "VALIDATION",
    `.map of workflow "${workflow}" cannot fill "${field}": step ${list(steps)} has not run.`,
    { nodePath: [field] },
  );

export const notSuspended = (workflow: string, runId: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `Run "${runId}" of workflow "${workflow}" is not suspended, so it cannot be resumed: it was never started, has ended or was canceled. ` +
      "createRun() makes another run.",
    {
      cause,
    },
  );

export const stepNotSuspended = (workflow: string, step: string, waiting: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_INTERRUPT",
    `Step "${step}" of workflow "${workflow}" is not suspended. Suspended: ${list(waiting)}.`,
  );

export const labelNotSuspended = (workflow: string, label: string, labels: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_INTERRUPT",
    `No suspended step of workflow "${workflow}" has the label "${label}". Labels: ${list(labels)}.`,
  );

export const ambiguousResume = (workflow: string, waiting: readonly string[]): KumikoError =>
  new KumikoError(
    "AMBIGUOUS_INTERRUPT",
    `Workflow "${workflow}" is suspended in ${waiting.length} places: ${list(waiting)}. ` +
      "An answer belongs to one of them. Choose it: resume({ step, resumeData }), with forEachIndex for an item of .foreach, or " +
      "resume({ label, resumeData }) for a question with a resumeLabel.",
  );

export const cannotSuspend = (workflow: string, why: string): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `Workflow "${workflow}" was suspended, but its run could not be saved, because its input cannot be serialized. ${why}`,
  );

export const declined = (tool: string, reason: string | undefined): KumikoError =>
  new KumikoError("TOOL_FAILED", `Tool "${tool}" was not approved${reason === undefined ? "." : `: ${reason}`}`);

export const foreignRunId = (workflow: string, id: string): KumikoError =>
  invalidMastraOption(
    `segment of workflow "${workflow}" needs an id that starts with "${workflow}/" (got ${shorten(id)}). Use "${workflow}/${id}".`,
  );

// serving

export const noMiddlewareResponse = (path: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The middleware for ${path} neither called next() nor returned a Response. End it with await next(), or return a Response.`,
  );

export const nextCalledTwice = (path: string): KumikoError =>
  invalidMastraOption(`A middleware called next() twice for ${path}. Call it only once.`);

export const invalidBody = (what: string): KumikoError =>
  new KumikoError("INVALID_REQUEST", `The body of the request ${what}.`);
