import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import { textOf } from "../../schema/message/read-message.js";
import { list } from "../../wording.js";
import { invalidAgentOption } from "../errors.js";
import type { GuardOptions, GuardVerdict } from "./guard.js";
import type { GuardedPart } from "./guarded-part.js";
import { replaced, type Span, withSpans } from "./spans.js";

/** A kind of personal data that {@link piiGuard} knows. */
export type PiiKind = "email" | "phone" | "card" | "iban" | "ip";

/** Options of {@link piiGuard}. */
export interface PiiGuardOptions {
  /** What is replaced. @default all kinds */
  readonly kinds?: readonly PiiKind[] | undefined;
  /** More patterns, by the name that replaces their matches: `{ employee: /E-\d{5}/ }` makes `[employee]`. */
  readonly patterns?: Readonly<Record<string, RegExp>> | undefined;
  /** Where it looks. @default ["input", "output"] */
  readonly on?: readonly GuardedPart[] | undefined;
}

interface Pattern {
  readonly name: string;
  readonly expression: RegExp;
  readonly isMatch?: ((match: string) => boolean) | undefined;
}

/** Where two overlap, the earlier and then the longer one counts; of equal ones the first in this list. */
const known: Readonly<Record<PiiKind, Omit<Pattern, "name">>> = {
  email: {
    expression: /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}]{2,24}/gu,
  },
  iban: { expression: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])/g, isMatch: isIban },
  card: { expression: /(?<![\d+])\d(?:[ -]?\d){12,18}(?!\d)/g, isMatch: isCard },
  ip: {
    expression:
      /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d)|(?<![0-9A-Za-z:])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?)(?![0-9A-Za-z:])/g,
    isMatch: isAddress,
  },
  phone: {
    expression: /(?<![\p{L}\p{N}.+-])(?:\+|00)?\(?\d(?:[ ./()-]{0,2}\d){6,14}(?![\p{L}\p{N}]|[.-]\d)/gu,
    isMatch: isPhone,
  },
};

/** What each of them has in it. */
const mark = /[\d@]|::/;

const kindNames = Object.keys(known) as PiiKind[];
const places: readonly GuardedPart[] = ["input", "output", "toolCall"];

/**
 * The options of a guard that replaces personal data by its kind, such as `[email]`: addresses, phone numbers, card numbers with the
 * right check digit, IBANs and IP addresses, and what your own patterns match. It works by patterns, so it is a safety net and no proof.
 *
 * @example
 * const agent = createAgent({ model, middleware: [guard(piiGuard({ patterns: { employee: /\bE-\d{5}\b/ } }))] });
 */
export function piiGuard(options: PiiGuardOptions = {}): GuardOptions {
  checkOptions("piiGuard", options, ["kinds", "patterns", "on"]);
  const { kinds = kindNames, patterns = {}, on = ["input", "output"] } = options;
  checkNames("kinds", kinds, kindNames, 0);
  checkNames("on", on, places, 1);
  const all: Pattern[] = kindNames.filter((kind) => kinds.includes(kind)).map((name) => ({ name, ...known[name] }));
  if (!isFields(patterns)) throw invalidAgentOption("patterns of piiGuard must be an object of regular expressions.");
  for (const [name, expression] of Object.entries(patterns)) {
    if (!(expression instanceof RegExp))
      throw invalidAgentOption(`patterns.${name} of piiGuard must be a regular expression.`);
    const flags = expression.flags.replace("y", "");
    all.push({ name, expression: new RegExp(expression, flags.includes("g") ? flags : `${flags}g`) });
  }
  const hasOwn = Object.keys(patterns).length > 0;
  if (all.length === 0) throw invalidAgentOption("piiGuard looks for nothing. Give it kinds or patterns.");
  // most text has nothing of the kind in it
  const find = (text: string): readonly Span[] => (hasOwn || mark.test(text) ? spansIn(text, all) : []);
  const judge = (text: string): GuardVerdict => {
    const spans = find(text);
    return spans.length === 0 ? undefined : { replace: replaced(text, spans) };
  };
  return {
    name: "pii",
    ...(on.includes("input") && { input: (message) => judge(textOf(message)) }),
    ...(on.includes("output") && { output: withSpans((text: string) => judge(text), find) }),
    ...(on.includes("toolCall") && { toolCall: ({ arguments: text }) => judge(text) }),
  };
}

function checkNames(option: string, given: unknown, names: readonly string[], least: number): void {
  const unknown = Array.isArray(given) ? given.find((one) => !names.includes(one as never)) : given;
  if (Array.isArray(given) && unknown === undefined && given.length >= least) return;
  throw invalidAgentOption(
    `${option} of piiGuard must be a list of ${list(names)}${unknown === undefined ? "" : ` (got ${JSON.stringify(unknown)})`}.`,
  );
}

function spansIn(text: string, patterns: readonly Pattern[]): readonly Span[] {
  const found: Span[] = [];
  for (const { name, expression, isMatch } of patterns) {
    for (const { 0: match, index: start } of text.matchAll(expression)) {
      const length = isMatch === undefined ? match.length : matchedLength(match, isMatch);
      if (length > 0) found.push({ start, end: start + length, text: `[${name}]` });
    }
  }
  if (found.length < 2) return found;
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  let last = 0;
  return found.filter(({ start, end }) => {
    if (start < last) return false;
    last = end;
    return true;
  });
}

/** How much of a match is what is looked for: what follows it may look like a part of it. */
function matchedLength(match: string, isMatch: (match: string) => boolean): number {
  for (let end = match.length; end > 0; end = match.slice(0, end).search(/[ ./()-]+[^ ./()-]*$/)) {
    if (isMatch(match.slice(0, end))) return end;
  }
  return 0;
}

/** Luhn's check digit. */
function isCard(match: string): boolean {
  const digits = match.replace(/\D/g, "");
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length >= 13 && sum % 10 === 0 && !/^0+$/.test(digits);
}

/** The check digits of ISO 13616. */
function isIban(match: string): boolean {
  const compact = match.replaceAll(" ", "");
  if (compact.length < 15) return false;
  const moved = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (const letter of moved) rest = Number(`${rest}${Number.parseInt(letter, 36)}`) % 97;
  return rest === 1;
}

/** Not what programs write, such as "a::b". */
function isAddress(match: string): boolean {
  return !match.includes(":") || /\d/.test(match) || match.split(":").length > 4;
}

/** With a country code, or written as people write phone numbers; no date, amount or number of an order. */
function isPhone(match: string): boolean {
  const digits = match.replace(/\D/g, "").length;
  if (digits < 7 || digits > 15) return false;
  if (/^\d{4}[-./]\d{1,2}[-./]\d{1,2}$|^\d{1,2}[-./]\d{1,2}[-./]\d{4}$/.test(match)) return false;
  return /^(?:\+|00)/.test(match) || /^\(?0\d/.test(match) || /\d[ ./()-]+\d{2,}[ ./-]+\d{2,}/.test(match);
}
