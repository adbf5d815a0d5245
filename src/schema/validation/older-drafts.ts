/** Converts a schema of draft-04 in place: exclusive limits are flags there, and the id of a schema is `id`. */
export function fromDraft04(schema: Record<string, unknown>): void {
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const isExclusive = schema[flag];
    if (typeof isExclusive !== "boolean") continue;
    delete schema[flag];
    if (!isExclusive || schema[limit] === undefined) continue;
    schema[flag] = schema[limit];
    delete schema[limit];
  }
  if (typeof schema.id !== "string") return;
  schema.$id ??= schema.id;
  delete schema.id;
}

/** Applies `nullable: true` of OpenAPI 3.0 to a schema without a type, in place. */
export function allowNull(schema: Record<string, unknown>): void {
  const { enum: values, const: value, anyOf, oneOf, $ref } = schema;
  if (Array.isArray(values)) schema.enum = [...values, null];
  if (value !== undefined) {
    delete schema.const;
    schema.enum = [value, null];
  }
  if (Array.isArray(anyOf)) schema.anyOf = [...anyOf, { type: "null" }];
  if (Array.isArray(oneOf)) schema.oneOf = [...oneOf, { type: "null" }];
  if (typeof $ref !== "string" || anyOf !== undefined) return;
  delete schema.$ref;
  schema.anyOf = [{ $ref }, { type: "null" }];
}

/** Writes what older drafts, or careless authors, write in other words as the draft has it, in place. */
export function fromOlderWords(schema: Record<string, unknown>, draft: string): void {
  const { required, type, items, additionalItems } = schema;
  if (Array.isArray(required)) schema.required = [...new Set(required)];
  if (Array.isArray(type)) schema.type = [...new Set(type)];
  if (draft !== "2020-12" || !Array.isArray(items)) return;
  schema.prefixItems = items;
  delete schema.items;
  if (additionalItems === undefined) return;
  schema.items = additionalItems;
  delete schema.additionalItems;
}
