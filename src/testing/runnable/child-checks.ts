import type { NodeContext } from "../../components/context.js";
import { lambda } from "../../compose/lambda.js";
import type { RunOptions } from "../../compose/options.js";
import { type ConformanceCheck, expectSame, expectThat, rejectionOf, soon, turns } from "../conformance.js";
import { recordingHandler } from "../recording-handler.js";
import { type Checks, modes, type RunnableMode, type Subject } from "./subject.js";

/** Checks for runs with `parent: ctx`. */
export function childChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  return [
    ...modes.map((mode) =>
      check(`${mode} as a child returns the output`, async (subject) => {
        subject.expectOutput(await inside(subject, mode).run(), mode);
      }),
    ),
    check("the address of a child is below that of its parent", async (subject) => {
      const parent = inside(subject, "invoke");
      await parent.run();
      const address = subject.contexts[0]?.address ?? "";
      expectThat(address.startsWith(`${parent.address};`), `"${address}" is not below "${parent.address}".`);
    }),
    check("the handlers of the parent are called for a child", async (subject) => {
      const recorder = recordingHandler();
      await inside(subject, "invoke").run({ callbacks: [recorder] });
      const [outer, child] = recorder.events.filter(({ timing }) => timing === "onStart");
      expectThat(child !== undefined, "The handler of the parent was not called for the child.");
      expectSame(child?.info.parentRunId, outer?.info.runId, "The parentRunId of the child");
    }),
    check("a child sees the request values of its parent", async (subject) => {
      await inside(subject, "invoke").run({ requestContext: { user: "u-1" } });
      expectSame(subject.contexts[0]?.requestContext.get("user"), "u-1", "The value that the work finds");
    }),
    ...modes.map((mode) =>
      check(`${mode} as a child is aborted with its parent`, async (subject) => {
        const controller = new AbortController();
        const reason = new Error("stop");
        subject.hold();
        const run = inside(subject, mode).run({ signal: controller.signal });
        await Promise.race([turns(), run.catch(() => undefined)]);
        controller.abort(reason);
        expectSame(await rejectionOf(run, "The parent"), reason, "The rejection");
        expectSame(subject.signals[0]?.reason, reason, "The reason of the signal that the child has");
        subject.release();
      }),
    ),
    check("two children at a time need different keys", async (subject) => {
      const parent = inside(subject, "invoke", (run) => Promise.all([run({ key: "one" }), run({ key: "one" })]));
      const error = await rejectionOf(parent.run(), "Two children with one key");
      expectSame(Reflect.get(Object(error), "code"), "DUPLICATE_CHILD", "The code of the error");
    }),
    check("two children at a time with different keys both run", async (subject) => {
      const parent = inside(subject, "invoke", (run) => Promise.all([run({ key: "one" }), run({ key: "two" })]));
      await parent.run();
      expectSame(subject.calls, 2, "Calls of work");
    }),
    check("a child may reuse the key of one that has ended", async (subject) => {
      const parent = inside(subject, "invoke", async (run) => [await run({ key: "one" }), await run({ key: "one" })]);
      await parent.run();
      expectSame(subject.calls, 2, "Calls of work");
    }),
  ];
}

type RunChild<O> = (options: RunOptions) => Promise<O>;
type UseChild<O> = (run: RunChild<O>) => Promise<readonly O[]>;

/** Wraps the subject in a parent run. */
function inside<I, O>(
  subject: Subject<I, O>,
  mode: RunnableMode,
  use: UseChild<O> = async (run) => [await run({})],
): { run(options?: RunOptions): Promise<O>; readonly address: string } {
  let address = "";
  const parent = lambda({
    invoke: async (_: undefined, ctx: NodeContext) => {
      address = ctx.address;
      return use((options) => subject.run(mode, { ...options, parent: ctx }));
    },
  });
  return {
    run: async (options) => (await soon(parent.invoke(undefined, options), "A run with a child"))[0] as O,
    get address() {
      return address;
    },
  };
}
