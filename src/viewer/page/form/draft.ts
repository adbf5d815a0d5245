import type { FieldModel, Limits } from "./field-model.js";

/**
 * What a person has put into a field: numbers and JSON as text until they are sent, objects by name, lists in order, `undefined`
 * for what is left empty.
 */
export type Draft =
  | undefined
  | string
  | boolean
  | { readonly chosen: unknown }
  | { readonly fields: Readonly<Record<string, Draft>> }
  | { readonly items: readonly Draft[] }
  | { readonly variant: number; readonly draft: Draft };

/** A value as a form shows it. */
export function draftOf(field: FieldModel, value: unknown): Draft {
  switch (field.type) {
    case "text":
      return value === undefined || value === null ? undefined : String(value);
    case "number":
      return value === undefined || value === null ? undefined : String(value);
    case "switch":
      return typeof value === "boolean" ? value : undefined;
    case "choice":
      return value === undefined ? undefined : { chosen: value };
    case "constant":
      return undefined;
    case "json":
      return value === undefined ? undefined : JSON.stringify(value, null, 2);
    case "object":
      return {
        fields: Object.fromEntries(
          field.fields.map(({ name, field: inner }) => [name, draftOf(inner, memberOf(value, name) ?? inner.initial)]),
        ),
      };
    case "list":
      return { items: Array.isArray(value) ? value.map((item) => draftOf(field.item, item)) : [] };
    case "variants": {
      const variant = Math.max(
        0,
        field.variants.findIndex((inner) => value !== undefined && fits(inner, value)),
      );
      const inner = field.variants[variant];
      return { variant, draft: inner && draftOf(inner, value ?? inner.initial) };
    }
    default:
      return field satisfies never;
  }
}

/** A mistake in a field, by the path of the field. */
export interface Mistake {
  readonly path: string;
  readonly message: string;
}

export interface Reading {
  /** `undefined` if nothing was put in. */
  readonly value: unknown;
  readonly mistakes: readonly Mistake[];
}

/** What a draft stands for. An optional field that is left empty is absent, not an empty text. */
export function readDraft(field: FieldModel, draft: Draft, isRequired = true, path = ""): Reading {
  const wrong = (message: string): Reading => ({ value: undefined, mistakes: [{ path, message }] });
  switch (field.type) {
    case "text":
      return readText(field, draft, isRequired, wrong);
    case "number":
      return readNumber(field, draft, isRequired, wrong);
    case "switch":
      if (draft === undefined) return isRequired ? right(false) : right(undefined);
      return right(draft === true);
    case "choice":
      if (typeof draft === "object" && "chosen" in draft) return right(draft.chosen);
      return isRequired ? wrong("Choose one.") : right(undefined);
    case "constant":
      return right(field.value);
    case "json":
      return readJson(draft, isRequired, wrong);
    case "object":
      return readObject(field, draft, isRequired, path);
    case "list":
      return readList(field, draft, isRequired, path);
    case "variants": {
      if (typeof draft !== "object" || !("variant" in draft))
        return isRequired ? wrong("Fill this in.") : right(undefined);
      const inner = field.variants[draft.variant];
      return inner === undefined ? wrong("Choose one.") : readDraft(inner, draft.draft, isRequired, path);
    }
    default:
      return field satisfies never;
  }
}

const right = (value: unknown): Reading => ({ value, mistakes: [] });

type Wrong = (message: string) => Reading;

function readText(field: FieldModel & { type: "text" }, draft: Draft, isRequired: boolean, wrong: Wrong): Reading {
  const text = typeof draft === "string" ? draft : "";
  if (text === "") {
    if (!isRequired) return right(undefined);
    return field.limits.min === 0 || draft === "" ? checkedText(field, "", wrong) : wrong("Fill this in.");
  }
  return checkedText(field, text, wrong);
}

function checkedText({ limits, format }: FieldModel & { type: "text" }, text: string, wrong: Wrong): Reading {
  const { min, max, pattern } = limits;
  const length = [...text].length;
  if (text === "" && min !== 0) return wrong("Fill this in.");
  if (min !== undefined && length < min) return wrong(`At least ${min} characters.`);
  if (max !== undefined && length > max) return wrong(`At most ${max} characters (${length} now).`);
  if (pattern !== undefined && !matches(pattern, text)) return wrong(`Must match ${pattern}.`);
  if (format === "email" && !/^\S+@\S+$/.test(text)) return wrong("An e-mail address, please.");
  if (format === "uri" && !URL.canParse(text)) return wrong("A whole address, please, such as https://example.com.");
  return right(format === "date-time" && Number.isFinite(Date.parse(text)) ? new Date(text).toISOString() : text);
}

function readNumber(field: FieldModel & { type: "number" }, draft: Draft, isRequired: boolean, wrong: Wrong): Reading {
  const text = typeof draft === "string" ? draft.trim() : "";
  if (text === "") return isRequired ? wrong("Fill this in.") : right(undefined);
  const value = Number(text);
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) || !Number.isFinite(value)) return wrong("A number, please.");
  if (field.isInteger && !Number.isInteger(value)) return wrong("A whole number, please.");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return wrong("This number is too large to be sent exactly.");
  }
  return withinLimits(value, field.limits) ?? right(value);

  function withinLimits(number: number, { min, max, above, below }: Limits): Reading | undefined {
    if (min !== undefined && number < min) return wrong(`At least ${min.toLocaleString("en-US")}.`);
    if (max !== undefined && number > max) return wrong(`At most ${max.toLocaleString("en-US")}.`);
    if (above !== undefined && number <= above) return wrong(`More than ${above.toLocaleString("en-US")}.`);
    if (below !== undefined && number >= below) return wrong(`Less than ${below.toLocaleString("en-US")}.`);
    return undefined;
  }
}

function readJson(draft: Draft, isRequired: boolean, wrong: Wrong): Reading {
  const text = typeof draft === "string" ? draft.trim() : "";
  if (text === "") return isRequired ? wrong("JSON, please.") : right(undefined);
  try {
    return right(JSON.parse(text));
  } catch (error) {
    return wrong(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readObject(
  { fields }: FieldModel & { type: "object" },
  draft: Draft,
  isRequired: boolean,
  path: string,
): Reading {
  const drafts = typeof draft === "object" && "fields" in draft ? draft.fields : {};
  if (!isRequired && fields.every(({ name }) => isEmpty(drafts[name]))) return right(undefined);
  const mistakes: Mistake[] = [];
  const entries: [string, unknown][] = [];
  for (const { name, isRequired: isNeeded, field } of fields) {
    const reading = readDraft(field, drafts[name], isNeeded, path === "" ? name : `${path}.${name}`);
    mistakes.push(...reading.mistakes);
    if (reading.value !== undefined) entries.push([name, reading.value]);
  }
  return { value: Object.fromEntries(entries), mistakes };
}

function readList(field: FieldModel & { type: "list" }, draft: Draft, isRequired: boolean, path: string): Reading {
  const items = typeof draft === "object" && "items" in draft ? draft.items : [];
  if (!isRequired && items.length === 0) return right(undefined);
  const readings = items.map((item, index) => readDraft(field.item, item, true, `${path}.${index}`));
  const mistakes = readings.flatMap((reading) => reading.mistakes);
  const { min, max } = field.limits;
  if (min !== undefined && items.length < min) mistakes.push({ path, message: `At least ${min}.` });
  if (max !== undefined && items.length > max) mistakes.push({ path, message: `At most ${max}.` });
  return { value: readings.map(({ value }) => value), mistakes };
}

function isEmpty(draft: Draft): boolean {
  if (draft === undefined || draft === "") return true;
  if (typeof draft !== "object") return false;
  if ("fields" in draft) return Object.values(draft.fields).every(isEmpty);
  return "items" in draft && draft.items.length === 0;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true; // the server has the last word
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** Whether a value is of the kind of a field; only to choose among variants. */
function fits(field: FieldModel, value: unknown): boolean {
  switch (field.type) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "switch":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      return field.fields.every(({ name, isRequired, field: inner }) => {
        const member = memberOf(value, name);
        if (member === undefined) return !isRequired;
        return inner.type !== "constant" || inner.value === member;
      });
    }
    case "constant":
      return field.value === value;
    case "choice":
      return field.values.includes(value);
    default:
      return true;
  }
}
