import { Reference } from "./executor.js";

/** The values that documents refer to, by their number. */
const values = new Map<number, unknown>();
let last = 0;

/** Saves a reference as a number, and gives back the very value. */
export const referenceCodec = {
  name: "a value that cannot be saved",
  type: Reference,
  encode: ({ value }: Reference): number => {
    last += 1;
    values.set(last, value);
    return last;
  },
  decode: (id: number): Reference => {
    if (!values.has(id)) throw new Error(`There is no value ${id}.`);
    return new Reference(values.get(id));
  },
};

/** After a test nothing is read any more. */
export function forgetReferences(): void {
  values.clear();
}
