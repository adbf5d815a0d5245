import { env } from "node:process";

/** Masks secrets in a text, which is the value of a field, if it is one. */
export type Redact = (text: string, field?: string) => string;

/** Variables with names like these hold secrets. */
const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/** Shorter values are ordinary words too often. */
const leastLength = 12;

/** The forms of well-known keys, tokens and passwords, and what takes their place. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^"']*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|(?=["'])|$)/g, "[secret]"],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, "[secret]"],
  [/\b(Bearer\s+)[\w.~+/-]{8,}=*/gi, "$1[secret]"],
  [/\b(Basic\s+)(?=[\w+/]*[\d=])[\w+/]{12,}={0,2}/g, "$1[secret]"],
  [/\bsk-[\w-]{10,}/g, "[secret]"],
  [/\bgh[opusr]_\w{16,}/g, "[secret]"],
  [/\bgithub_pat_\w{16,}/g, "[secret]"],
  [/\bxox[a-z]-[\w-]{8,}/g, "[secret]"],
  [/\bA[KS]IA[0-9A-Z]{12,}/g, "[secret]"],
  [/\bAIza[\w-]{20,}/g, "[secret]"],
  [/\b([a-z][a-z\d+.-]*:\/\/[^\s/:@"']*:)[^\s/"']+(?=@)/gi, "$1[secret]"],
  [/([?&](?:api[_-]?key|key|(?:access_?)?token|secret|password|sig|signature)=)[^\s&#"'<>]{8,}/gi, "$1[secret]"],
];

/** Masks the values of secret environment variables, the forms of well-known secrets, and what the given patterns match. */
export function redactor(secrets: readonly RegExp[]): Redact {
  const own = secrets.map(everywhere);
  const secretValues = new SecretValues();
  const maskedText = (text: string): string => {
    let masked = text;
    for (const [value, name] of secretValues.now()) {
      if (masked.includes(value)) masked = masked.replaceAll(value, () => `[${name}]`);
    }
    for (const pattern of own) masked = masked.replace(pattern, "[secret]");
    for (const [pattern, mask] of shapes) masked = masked.replace(pattern, mask);
    return masked;
  };
  const redact: Redact = (text, field) => {
    if (field !== undefined && isSecretField(field, text)) return "[secret]";
    const masked = maskedText(text);
    if (masked === text && !secretField.test(text)) return text;
    const json = maskedJson(text, redact);
    return json === undefined ? masked : maskedText(json);
  };
  return redact;
}

const secretField = /authorization|cookie|api[-_]?key/i;

/** Headers that hold credentials, whatever they look like. */
function isSecretField(field: string, text: string): boolean {
  if (/^(?:(?:proxy-)?authorization|(?:x-)?api[-_]?key)$/i.test(field)) return text !== "";
  return /^(?:set-)?cookie$/i.test(field) && text.includes("=");
}

/** A text that is JSON with its strings masked one by one, so that it stays JSON; `undefined` if that changes nothing. */
function maskedJson(text: string, redact: Redact): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const masked = JSON.stringify(value, (key, inner) => (typeof inner === "string" ? redact(inner, key) : inner));
    return masked === JSON.stringify(value) ? undefined : masked;
  } catch {
    return undefined;
  }
}

/** A pattern that matches all occurrences, and has no position of its own. */
export function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, "")}g`);
}

/** The values of secret variables with their names, the longest first: one may be a part of another. */
class SecretValues {
  #text = "";
  #values: readonly (readonly [string, string])[] = [];

  now(): readonly (readonly [string, string])[] {
    const named = Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && entry[1].length >= leastLength && secretName.test(entry[0]),
    );
    const text = named.join("\n");
    if (text === this.#text) return this.#values;
    this.#text = text;
    this.#values = named
      .flatMap(([name, value]): [string, string][] => formsOf(value).map((form) => [form, name]))
      .sort(([one], [other]) => other.length - one.length);
    return this.#values;
  }
}

/** A value as it is, in a URL, and in JSON, which may be a text in JSON itself. */
function formsOf(value: string): string[] {
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const once = inJson(value);
  const twice = inJson(once);
  return [...new Set([value, encodeURIComponent(value), once, twice, inJson(twice)])];
}
