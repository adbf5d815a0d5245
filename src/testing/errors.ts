import { KumikoError } from "../errors.js";
import { kindOf } from "../wording.js";

export const makeMissing = (suite: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The first argument of ${suite} must be a function that returns what to check (got ${kindOf(given)}).`,
  );

/** `needed` has an example for each field of the case that must be there. */
export const caseMissing = (suite: string, needed: Readonly<Partial<Record<string, string>>>): KumikoError => {
  const fields = Object.entries(needed).map(([name, example]) => `${name}: ${example}`);
  return new KumikoError(
    "INVALID_OPTION",
    `The second argument of ${suite} must be a case, such as { ${fields.join(", ")} }.`,
  );
};

/** A check that fails because the tool rejects what it is called with. */
export const argumentsRejected = (given: string, cause: Error): Error =>
  new Error(
    `${cause.message}\nThe checks called it with ${given}. Set the option "arguments" of toolConformance to JSON that the tool accepts.`,
    { cause },
  );

/** A failed conformance check. */
export const checkFailed = (what: string): Error => new Error(what);

export const differs = (what: string, actual: unknown, expected: unknown): Error =>
  new Error(`${what}: expected ${show(expected)}, got ${show(actual)}.`);

export const scriptExhausted = (type: string, calls: number, answers: number): Error =>
  new Error(
    `${type} was called ${calls} times, and its script has ${answers === 1 ? "one answer" : `${answers} answers`}. ` +
      "Add an answer for this call, or find out why the model is called again.",
  );

export const invalidScriptAnswer = (type: string, call: number): Error =>
  new Error(
    `Answer ${call} in the script of ${type} is not valid. Use a string, a message, a list of blocks or chunks, an error, or a function that returns one of them.`,
  );

const longest = 400;

function show(value: unknown): string {
  const text = describe(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function describe(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
