/**
 * How many levels of a value can be saved. Reading and writing use the stack; what was written has to be readable also
 * where less of the stack is left.
 */
export const deepest = 500;
