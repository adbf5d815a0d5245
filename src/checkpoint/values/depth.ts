/**
 * How many levels of a value can be saved. Reading and writing are recursive, and what was written must be readable where less of
 * the stack is left.
 */
export const deepest = 500;
