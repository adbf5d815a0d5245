/** The record that the policies around a node keep of its task, for its error branch. */
export interface Tried {
  readonly attempts: number;
  /** Whether its output is that of its `fallback`. */
  readonly fellBack: boolean;
  /** The node's input; a stream is joined. */
  wholeInput(): unknown;
  /** Set if the input stream failed while the node read it: then another node has failed. */
  readonly inputFailure: { readonly error: unknown } | undefined;
}
