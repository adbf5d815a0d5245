import type { NodeContext } from "../../components/context.js";
import type { KindOptions, RunOptions } from "../../compose/options.js";
import type { Overrides } from "./call-options.js";

/** The options of a child run that the library starts itself: they need no check. */
export class ChildOptions implements RunOptions {
  readonly parent: NodeContext;
  readonly key: string;
  readonly overrides: Overrides;

  constructor(parent: NodeContext, key: string, kinds: KindOptions) {
    this.parent = parent;
    this.key = key;
    this.overrides = { kinds, nodes: undefined };
  }
}
