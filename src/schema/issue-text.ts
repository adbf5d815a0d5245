import type { StandardIssue } from "./standard-schema.js";

/** An issue in one line: `address.city: expected a string`. */
export function issueText({ message, path = [] }: StandardIssue): string {
  const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
  return steps.length === 0 ? message : `${steps.join(".")}: ${message}`;
}
