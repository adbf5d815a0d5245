/** An object whose fields are looked up by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object. Asked of other values, class instances are objects too. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
