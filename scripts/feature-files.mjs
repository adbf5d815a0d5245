/** @type {(folder: string, names: readonly string[]) => string[]} */
const inside = (folder, names) => names.map((name) => `${folder}/${name}.ts`);

/**
 * The files of features, as far as nothing else needs them. Where a feature is asked for stays when they are gone.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const features = {
  streams: [
    ...inside("schema/stream", ["map", "reader", "serial-source", "tap"]),
    ...inside("schema/concat", ["concat-chunks"]),
    ...inside("callbacks", ["stream-copy", "streamed-output"]),
    ...inside("run/streams", ["joining", "node-stream", "open-streams", "output-streams", "run-output", "run-stream"]),
  ],
  "the builder, its checks and their messages": ["compose/graph-builder.ts"],
  "questions: ask, interrupt, once": [
    ...inside("run", ["questions"]),
    "checkpoint/errors.ts",
    ...inside("checkpoint/pause", ["interrupt", "interrupts-of", "invocation"]),
  ],
  handlers: [
    ...inside("callbacks", ["handler-error", "tell", "span", "handler-list"]),
    ...inside("run/spans", ["observe", "run-handlers"]),
  ],
  allPredecessor: inside("compose/plan", ["find-loops", "output-keys"]),
  "the options of a run": ["run/options/call-options.ts"],
  "state, keys, before and after": inside("run", ["layers", "state-cell", "wrap"]),
};
