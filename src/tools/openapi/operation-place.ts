import type { Fields } from "../../is.js";
import type { HttpMethod } from "./document.js";
import type { References } from "./references.js";

/** One operation, where a document has it. */
export interface OperationPlace {
  readonly document: Fields;
  readonly path: string;
  readonly method: HttpMethod;
  readonly pathItem: Fields;
  readonly operation: Fields;
  readonly references: References;
}

/** How errors call it. */
export const requestName = ({ method, path }: OperationPlace): string => `${method.toUpperCase()} ${path}`;
