/** A text that begins a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Names as a message lists them: `"a", "b" and 3 more`; `none`. */
export function list(names: Iterable<string>, most = Number.POSITIVE_INFINITY): string {
  const all = [...names];
  if (all.length === 0) return "none";
  const shown = all.slice(0, most).map((name) => `"${name}"`);
  return shown.join(", ") + (all.length > shown.length ? ` and ${all.length - shown.length} more` : "");
}

/** Names the kind of a value: `a string`, `null`, `an array`, `an instance of Order`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const { constructor: type } = value;
  const name = typeof type === "function" ? type.name : "";
  return name === "" || name === "Object" ? "an object" : `an instance of ${name}`;
}

/** The issues of a schema about a value, with their paths. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** An issue in one line: `address.city: expected a string`. */
export function issueText({ message, path = [] }: Issue): string {
  const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
  return steps.length === 0 ? message : `${steps.join(".")}: ${message}`;
}
/** Issues as a list, each on a line of its own. */
export function issueList(issues: readonly Issue[]): string {
  return issues.map((issue) => `\n- ${issueText(issue)}`).join("");
}
