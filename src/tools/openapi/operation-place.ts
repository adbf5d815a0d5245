import type { Fields } from "../../is.js";
import type { HttpMethod } from "./document.js";
import type { References } from "./references.js";

/** One operation, and its place in a document. */
export interface OperationPlace {
  readonly document: Fields;
  readonly path: string;
  readonly method: HttpMethod;
  readonly pathItem: Fields;
  readonly operation: Fields;
  readonly references: References;
}

/** Its name in errors. */
export const requestName = ({ method, path }: OperationPlace): string => `${method.toUpperCase()} ${path}`;
