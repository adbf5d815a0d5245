import { issueText } from "../wording.js";

/** The part of a schema of the official packages that is used here. */
export interface EntrySchema {
  readonly "~standard": {
    validate(
      value: unknown,
    ): { readonly issues?: readonly { readonly message: string }[] | undefined } | Promise<unknown>;
  };
}

/** The schemas of the entries of all lists in MCP, as the official packages export them. */
export interface EntrySchemas {
  readonly Tool: EntrySchema;
  readonly Prompt: EntrySchema;
  readonly Resource: EntrySchema;
  readonly ResourceTemplate: EntrySchema;
}

/** Why an entry of a list is not one that MCP allows; `undefined` if it is. */
export function entryProblem(schema: EntrySchema, entry: unknown): string | undefined {
  const checked = schema["~standard"].validate(entry);
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  return checked.issues.map(issueText).join("; ");
}

/** The name of an entry for messages, or else its URI. */
export function entryName(entry: unknown): string {
  for (const field of ["name", "uri", "uriTemplate"]) {
    const given: unknown = typeof entry === "object" && entry !== null ? Reflect.get(entry, field) : undefined;
    if (typeof given === "string" && given !== "") return given;
  }
  return "(unnamed)";
}
