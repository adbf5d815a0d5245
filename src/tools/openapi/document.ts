import { type Fields, isFields } from "../../is.js";

/** The methods of operations, in the order of the specification; without TRACE, which `fetch` refuses. @internal */
export const methods = ["get", "put", "post", "delete", "options", "head", "patch"] as const;
/** A method of HTTP that an operation can have, in lower case. */
export type HttpMethod = (typeof methods)[number];

/** Where an operation takes a parameter. */
export type ParameterPlace = "path" | "query" | "header" | "cookie";

export interface ParameterObject {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: Fields | boolean;
  /** Whether the value is sent as JSON, wherever it goes. */
  readonly isJson: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
