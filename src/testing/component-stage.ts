import type { NodeContext } from "../components/context.js";
import { lambda } from "../compose/lambda.js";
import { isFields } from "../is.js";
import { type ConformanceCheck, expectSame, expectThat, rejectionOf, soon } from "./conformance.js";
import { deepEqual } from "./deep-equal.js";

/** Calls a function with the context of a real run. */
export function inContext<Options, T>(
  fields: Readonly<Record<string, unknown>>,
  use: (ctx: NodeContext<unknown, Options>) => Promise<T>,
): Promise<T> {
  const run = lambda({
    invoke: async (_: undefined, ctx: NodeContext) => ({
      result: await use(ctx.with(fields) as NodeContext<unknown, Options>),
    }),
  });
  return run.invoke(undefined).then(({ result }) => result);
}

interface ComponentLike {
  readonly component: string;
}

/** How to create and call a component, with an input for it. */
export interface ComponentCase<Component extends ComponentLike, In, Out, Options> {
  readonly make: () => Component;
  readonly component: Component["component"];
  readonly input: In;
  readonly options?: Options | undefined;
  readonly call: (component: Component, input: In, ctx: NodeContext<unknown, Options>) => Promise<Out>;
}

/** A component under test. */
export class ComponentStage<Component extends ComponentLike, In, Out, Options> {
  readonly component: Component;
  readonly input: In;
  readonly #called: ComponentCase<Component, In, Out, Options>;

  constructor(called: ComponentCase<Component, In, Out, Options>) {
    this.component = called.make();
    this.input = called.input;
    this.#called = called;
  }

  call(
    input: In,
    { options, signal }: { readonly options?: object; readonly signal?: AbortSignal } = {},
  ): Promise<Out> {
    const { call, options: own = {} } = this.#called;
    const fields = { options: { ...own, ...options }, ...(signal === undefined ? {} : { signal }) };
    return soon(
      inContext<Options, Out>(fields, (ctx) => call(this.component, input, ctx)),
      this.component.component,
    );
  }
}

/** Checks for any component that maps an input to an output. `checkOutput` throws if the output is invalid. */
export function componentChecks<Component extends ComponentLike, In, Out, Options>(
  called: ComponentCase<Component, In, Out, Options>,
  checkOutput: (output: Out, input: In) => void,
): ConformanceCheck[] {
  const check = checkOf(called);
  return [
    check(`has the component "${called.component}"`, async ({ component }) =>
      expectSame(component.component, called.component, "The component"),
    ),
    check("returns a valid output", async (stage) => checkOutput(await stage.call(stage.input), stage.input)),
    check("returns the same output when called again", async (stage) => {
      const [first, second] = [await stage.call(stage.input), await stage.call(stage.input)];
      expectThat(deepEqual(first, second), "The second call returns a different output than the first.");
    }),
    check("returns the same output to concurrent calls", async (stage) => {
      const [first, ...others] = await Promise.all([1, 2, 3].map(() => stage.call(stage.input)));
      expectThat(
        others.every((other) => deepEqual(first, other)),
        "Concurrent calls return different outputs.",
      );
    }),
    check("does not change its input", async (stage) => {
      const given = structuredClone(stage.input);
      await stage.call(given);
      expectThat(deepEqual(given, stage.input), "The input has changed.");
    }),
  ];
}

/** A check for components that call a service, and so must support aborting. */
export function abortCheck<Component extends ComponentLike, In, Out, Options>(
  called: ComponentCase<Component, In, Out, Options>,
): ConformanceCheck {
  return checkOf(called)("rejects when its signal is aborted", async (stage) => {
    await rejectionOf(stage.call(stage.input, { signal: AbortSignal.abort() }), "A call with an aborted signal");
  });
}

export function checkOf<Component extends ComponentLike, In, Out, Options>(
  called: ComponentCase<Component, In, Out, Options>,
): (name: string, run: (stage: ComponentStage<Component, In, Out, Options>) => Promise<void>) => ConformanceCheck {
  return (name, run) => ({ name, run: async () => run(new ComponentStage(called)) });
}

export function expectDocuments(documents: unknown): void {
  expectThat(Array.isArray(documents), "The output is not a list of documents.");
  for (const document of documents as readonly unknown[]) {
    expectThat(isFields(document), "A document is not an object.");
    const { id, content, metadata } = document as Readonly<Record<string, unknown>>;
    expectThat(typeof id === "string" && id !== "", "A document has no id.");
    expectThat(typeof content === "string", "The content of a document is not a string.");
    expectThat(isFields(metadata), "The metadata of a document is not an object.");
  }
}
