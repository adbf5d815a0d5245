/** `Symbol.asyncDispose`, if the TypeScript library of the program has it. */
type AsyncDispose = SymbolConstructor extends { readonly asyncDispose: infer Name } ? Extract<Name, symbol> : never;

/**
 * The method that `await using` calls, for interfaces to extend. It is missing in programs whose TypeScript library does not have
 * `Symbol.asyncDispose`, so that the declarations of this package compile there too.
 *
 * @internal
 */
export type AsyncDisposal = { [Name in AsyncDispose]: () => Promise<void> };
