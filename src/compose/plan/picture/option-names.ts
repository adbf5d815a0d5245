import { isFields } from "../../../is.js";
import { kindOf } from "../../../wording.js";
import { invalidOption } from "../../errors.js";

/** Throws unless options are an object with known names only. */
export function checkNames(method: string, options: unknown, known: readonly string[]): void {
  if (!isFields(options)) throw invalidOption(`${method}: the options must be an object (got ${kindOf(options)}).`);
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw invalidOption(`${method}: unknown option "${name}". Options: ${known.join(", ")}.`);
    }
  }
}
