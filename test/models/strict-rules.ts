/**
 * What the published rules for strict output have against a schema: which keywords there are, that every property is required, that
 * objects are closed, that a reference stands alone, and that the whole is an object.
 */
export function strictProblems(schema: unknown, path = "$"): string[] {
  const problems: string[] = [];
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [`${path}: not a schema`];
  const fields = schema as Readonly<Record<string, unknown>>;
  if (path === "$" && fields.type !== "object") problems.push(`${path}: not an object`);
  for (const name of Object.keys(fields)) {
    const isRootOnly = ["$schema", "$defs", "definitions"].includes(name);
    if (isRootOnly ? path !== "$" : !allowed.includes(name)) problems.push(`${path}: ${name}`);
  }
  if (fields.$ref !== undefined) {
    if (Object.keys(fields).length > 1) problems.push(`${path}: something beside $ref`);
    return problems;
  }
  if (fields.type === undefined && fields.anyOf === undefined) problems.push(`${path}: no type`);
  if (fields.format !== undefined && !formats.includes(fields.format))
    problems.push(`${path}: ${String(fields.format)}`);
  const types: readonly unknown[] = [fields.type].flat();
  if (types.includes("object")) {
    if (fields.additionalProperties !== false) problems.push(`${path}: open`);
    const required: readonly unknown[] = Array.isArray(fields.required) ? fields.required : [];
    for (const [name, inner] of Object.entries(fields.properties ?? {})) {
      if (!required.includes(name)) problems.push(`${path}.${name}: not required`);
      problems.push(...strictProblems(inner, `${path}.${name}`));
    }
  }
  if (types.includes("array")) problems.push(...strictProblems(fields.items, `${path}[]`));
  for (const [index, inner] of (Array.isArray(fields.anyOf) ? fields.anyOf : []).entries()) {
    problems.push(...strictProblems(inner, `${path}|${index}`));
  }
  for (const [name, inner] of Object.entries({ ...(fields.$defs ?? {}), ...(fields.definitions ?? {}) })) {
    problems.push(...strictProblems(inner, `${path}/${name}`));
  }
  return problems;
}

const allowed: readonly string[] = [
  ...["type", "title", "description", "enum", "const", "anyOf", "$ref", "format"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
];
const formats: readonly unknown[] = [
  ...["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
];
