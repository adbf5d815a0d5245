/** A package as those who use it see it before anything runs. */
export interface Installed {
  readonly name: string;
  /** Where its imports are looked for. */
  readonly folder: string;
  /** The settings that it is bundled and compiled with. */
  readonly tsconfig: string;
  /** Where the compiler finds its types, if that is not where it looks. */
  readonly paths?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The Node.js that it needs. @default the one that runs the benchmark */
  readonly node?: string | undefined;
  /** What its users import first. */
  readonly entry: string;
  /** The smallest program: a graph with one node, or the nearest thing to one. */
  readonly smallest: string;
  /** A program with only the imports, and programs with a line of so many nodes, each with types of its own. */
  readonly typed?: { readonly imports: string; readonly line: (count: number) => string } | undefined;
}
