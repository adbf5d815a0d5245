import { type Json, withTexts } from "./plain-json.js";
import { everywhere, type Redact, redactor } from "./redact.js";

/** How a tape changes the texts of requests and answers: secrets are masked everywhere, and what is ignored only in keys. */
export class TapeText {
  readonly redact: Redact;
  readonly #ignore: readonly RegExp[];

  constructor(secrets: readonly RegExp[], ignore: readonly RegExp[]) {
    this.redact = redactor(secrets);
    this.#ignore = ignore.map(everywhere);
  }

  /** What counts for the key: what `ignore` matches is `*`, in texts and in numbers. */
  ignored(json: Json): Json {
    return this.#ignore.length === 0 ? json : this.#withoutIgnored(json);
  }

  #withoutIgnored(json: Json): Json {
    if (typeof json === "string") return this.#star(json);
    if (typeof json === "number") {
      const text = this.#star(String(json));
      return text === String(json) ? json : text;
    }
    if (json === null || typeof json === "boolean") return json;
    if (Array.isArray(json)) return json.map((item: Json) => this.#withoutIgnored(item));
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [this.#star(key), this.#withoutIgnored(value)]),
    );
  }

  #star(text: string): string {
    let starred = text;
    for (const pattern of this.#ignore) starred = starred.replace(pattern, "*");
    return starred;
  }

  /** A value with its secrets masked. */
  masked(json: Json): Json {
    return withTexts(json, this.redact);
  }
}
