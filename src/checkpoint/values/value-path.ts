import { shortenText } from "../../schema/shorten.js";

/** A key, an index, or the key of a map. */
export type PathStep = PropertyKey | { readonly mapKey: unknown };

/** The path of the current value during a walk, for error messages: `input of "b": outer.list[1].fn`. */
export class ValuePath {
  readonly slot: string;
  readonly #steps: PathStep[] = [];

  constructor(slot: string) {
    this.slot = slot;
  }

  push(step: PathStep): void {
    this.#steps.push(step);
  }

  pop(): void {
    this.#steps.pop();
  }

  toString(): string {
    const path = this.#steps.map(textOf).join("").replace(/^\./, "");
    return path === "" ? this.slot : `${this.slot}: ${shortenText(path, { around: path.length })}`;
  }
}

function textOf(step: PathStep): string {
  switch (typeof step) {
    case "number":
      return `[${step}]`;
    case "string":
      return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(step) ? `.${step}` : `[${quote(step)}]`;
    case "symbol":
      return `[${String(step)}]`;
    default:
      return `.get(${typeof step.mapKey === "string" ? quote(step.mapKey) : String(step.mapKey)})`;
  }
}

const longest = 80;

const quote = (text: string): string => JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
