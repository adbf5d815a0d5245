import type { Enum, Field, Method, Type } from "./protobuf.js";

/** The type of a field: a message, an enum, or a scalar of this name. */
export type FieldKind =
  | { readonly kind: "message"; readonly type: Type }
  | { readonly kind: "enum"; readonly type: Enum }
  | { readonly kind: "scalar"; readonly type: string };

/** The value of a field, or one item of it. */
export function kindOfField(field: Field): FieldKind {
  const { resolvedType, type } = field.resolve();
  if (resolvedType === null) return { kind: "scalar", type };
  return "values" in resolvedType ? { kind: "enum", type: resolvedType } : { kind: "message", type: resolvedType };
}

/** The scalar that the keys of a map are; `undefined` for a field that is not a map. */
export function mapKeyOf(field: Field): string | undefined {
  const keyType: unknown = field.map ? Reflect.get(field, "keyType") : undefined;
  return typeof keyType === "string" ? keyType : undefined;
}

/** The name of a field in JSON. */
export function jsonKey(field: Field): string {
  return extensionKey(field) ?? field.jsonName ?? field.name;
}

/** All names that JSON may have for a field: its JSON name, and the one in the file. */
export function jsonKeys(field: Field): readonly string[] {
  const extension = extensionKey(field);
  return extension === undefined ? [...new Set([jsonKey(field), field.name])] : [extension];
}

/** An extension is known by its full name, in brackets. */
function extensionKey(field: Field): string | undefined {
  field.resolve();
  return field.name.startsWith(".") ? `[${field.name.slice(1)}]` : undefined;
}

/** Whether an absent value of the field is another thing than its default. */
export const hasPresence = (field: Field): boolean =>
  Boolean(field.hasPresence) || kindOfField(field).kind === "message";

/** In proto2 by its label, in other files by the option `google.api.field_behavior`. */
export function isRequired(field: Field): boolean {
  if (field.required) return true;
  const options = [field.options ?? {}, ...(Array.isArray(field.parsedOptions) ? field.parsedOptions : [])];
  return options.some((option) => {
    const behavior: unknown = Reflect.get(option, "(google.api.field_behavior)");
    return behavior === "REQUIRED" || (Array.isArray(behavior) && behavior.includes("REQUIRED"));
  });
}

/** The oneof that a field is a member of; not the one that stands for `optional`. */
export function oneofOf(field: Field): { readonly name: string; readonly members: readonly Field[] } | undefined {
  const { partOf } = field;
  if (partOf === null || partOf.isProto3Optional) return undefined;
  return { name: partOf.name, members: partOf.fieldsArray };
}

/** The value of an option, as files and as descriptors have it. */
export function optionOf({ options }: Field | Method, name: string): unknown {
  return options === undefined ? undefined : Reflect.get(options, name);
}

/** The comment on a field, a message or a method, without its comment marks. */
export function commentOf({ comment }: { readonly comment: string | null }): string | undefined {
  const text = comment?.trim();
  return text === undefined || text === "" ? undefined : text;
}
