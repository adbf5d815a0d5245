/** A string as it is, anything else as nothing: what packages send is not always what their types say. */
export function textIf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
