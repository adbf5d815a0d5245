/** Collects the fields of a record as JSON text. */
export class JsonFields {
  inner: string;

  /** `inner`: fields that come first, as text. */
  constructor(inner = "") {
    this.inner = inner;
  }

  get isEmpty(): boolean {
    return this.inner === "";
  }

  /** The record; an empty string when there are no fields. */
  get text(): string {
    return this.isEmpty ? "" : `{${this.inner}}`;
  }

  /** An empty text adds nothing. */
  add(name: string, text: string): void {
    if (text === "") return;
    this.inner += this.isEmpty ? `"${name}":${text}` : `,"${name}":${text}`;
  }

  /** Items of which nothing is written are left out, and so is an empty list. */
  addList<T>(name: string, items: readonly T[], write: (item: T) => string): void {
    let all = "";
    for (const item of items) {
      const text = write(item);
      if (text !== "") all += all === "" ? text : `,${text}`;
    }
    if (all !== "") this.add(name, `[${all}]`);
  }
}
