import type { NodeContext } from "../../components/context.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { SameAsInput } from "./node-shape.js";

export declare const callOptions: unique symbol;

/** Carries the type of the call options of a Runnable that has some; only in types. */
export interface HasCallOptions<out Options> {
  readonly [callOptions]?: Options | undefined;
}

/** In place of the call options of a node that does not say what it takes. */
export interface AnyCallOptions {
  readonly [callOptions]: "any";
}

/** A method of a component, for the type of its `ctx.options`: inferred from, and not compared otherwise. */
export type TakesOptions<Options> = {
  method(input: never, ctx: NodeContext<unknown, Options>): unknown;
}["method"];

/** What the option `options` of a node may be; a graph and a passthrough have none. */
export type CallOptions<Options, Inner> = [Inner] extends [undefined]
  ? OwnCallOptions<Options>
  : [Inner] extends [SameAsInput]
    ? GraphTypeError<"a passthrough calls nothing and takes no call options">
    : GraphTypeError<"a graph takes no call options of its own: give them to the nodes inside it">;

/** Each may be left out: what a run gives is laid over what a node gives. */
type OwnCallOptions<Options> = [Options] extends [AnyCallOptions]
  ? object
  : unknown extends Options
    ? object
    : Partial<Options>;

/** The call options of the node at a path. */
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
