/** In draft-04 limits say by a flag that they are exclusive, and a schema names itself by `id`. In place. */
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

/** `nullable: true`, as OpenAPI 3.0 has it, for a schema that is put together of others. In place. */
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
