import type { NodeContext } from "../../components/context.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { SameAsInput } from "./node-shape.js";

export declare const callOptions: unique symbol;

/** Carries the type of a Runnable's call options. Exists in types only. */
export interface HasCallOptions<out Options> {
  readonly [callOptions]?: Options | undefined;
}

/** Stands for the call options of a node without a declared type for them. @internal */
export interface AnyCallOptions {
  readonly [callOptions]: "any";
}

/** A method of a component, from which the type of its `ctx.options` is inferred. It is not compared otherwise. */
export type TakesOptions<Options> = {
  method(input: never, ctx: NodeContext<unknown, Options>): unknown;
}["method"];

/** The type of the option `options` of a node; an error for graphs and passthroughs, which have none. @internal */
export type OptionsFor<Options, Inner> = [Inner] extends [undefined]
  ? OwnCallOptions<Options>
  : [Inner] extends [SameAsInput]
    ? GraphTypeError<"a passthrough calls nothing and takes no call options">
    : GraphTypeError<"a graph takes no call options of its own: give them to the nodes inside it">;

/** All are optional, because options of a run are merged over those of a node. */
type OwnCallOptions<Options> = [Options] extends [AnyCallOptions]
  ? object
  : unknown extends Options
    ? object
    : Partial<Options>;

/** The call options of the node at a path. @internal */
export type OptionsAt<Inner, Path> = Path extends keyof Inner
  ? Inner[Path] extends { readonly options: infer Options }
    ? Options
    : object
  : Path extends `${infer Key}/${infer Rest}`
    ? Key extends keyof Inner
      ? Inner[Key] extends { readonly inner: infer Below }
        ? OptionsAt<Below, Rest>
        : object
      : object
    : object;
