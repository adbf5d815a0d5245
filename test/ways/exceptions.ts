import type { Mode, Way } from "./ways.js";

/** A file below `test/`, and the name of a test with those of its suites (`a > b`), or a part of it; without one all. */
export type NamedTests = readonly [file: string, test?: string | RegExp];

/** Tests that run as they are written in some ways and some modes, because what they say does not hold there. */
export interface Exception {
  readonly why: string;
  readonly ways?: readonly Way[];
  readonly modes?: readonly Mode[];
  readonly tests: readonly NamedTests[];
  /** It depends on the machine or on chance whether they hold: nobody is told when they do. */
  readonly sometimes?: true;
}

const saved: readonly Way[] = ["saved-exit", "saved-step"];
/** Ways in which account is kept of what a run has done. */
const accounted: readonly Way[] = ["controlled", ...saved];
const watched: readonly Way[] = ["watched", "watched-streams"];
/** Modes that move streams: also where a test says `invoke`. */
const streams: readonly Mode[] = ["collect", "stream", "transform"];
const everyWay: readonly Way[] = ["plain", "scheduled", ...watched, ...accounted];

/** What cannot hold, because of what the way or the mode is. */
export const exceptions: readonly Exception[] = [
  {
    why: "It counts the writes of saved runs up to a crash, and runs them in each mode itself.",
    ways: everyWay,
    tests: [["checkpoint/choices.test.ts"]],
  },
  {
    why: "They run each program in the ways and modes that they are about, or take every moment of it: again in one more way they show nothing new, and cost three quarters of the time.",
    ways: everyWay,
    tests: [
      ["checkpoint/any-graph.property.test.ts"],
      ["checkpoint/every-moment.test.ts"],
      ["checkpoint/random-programs.property.test.ts"],
      ["checkpoint/random-stops.property.test.ts"],
      ["checkpoint/takeovers.property.test.ts"],
      ["run/mappings-in-every-mode.test.ts"],
      ["run/open-ends.property.test.ts"],
      ["run/properties/workflows-agree.property.test.ts"],
      ["run/scheduling.property.test.ts"],
    ],
  },
  {
    why: "They read and write documents of saved runs: how a run was started makes no difference to them.",
    ways: everyWay,
    tests: [["checkpoint/document-fields.property.test.ts"], ["checkpoint/tampered-documents.test.ts"]],
  },
  {
    why: "Where every finished task is saved, a stream is read to its end before anything follows it.",
    ways: ["saved-step"],
    tests: [["run/workflows.test.ts", "are left when the only node that reads them is skipped"]],
  },
  {
    why: "A run that can be resumed needs its input whole: it is read on when the caller leaves the result.",
    ways: saved,
    tests: [["run/workflows.test.ts", "transform stops its input when it is cancelled"]],
  },
  {
    why: "Without `buffer` a stream of which a chunk was read is not tried again.",
    modes: streams,
    tests: [["run/policies/fallback.test.ts", "a run on values retries a stream"]],
  },
  {
    why: "It measures memory over 20,000 runs: `npm run memory` does so for runs that are watched, saved or streamed.",
    ways: everyWay,
    tests: [["run/leaks.test.ts"]],
  },
  {
    why: "The caller acts right after the call: the scheduler has run all nodes by then, but ends a microtask later.",
    ways: ["scheduled"],
    tests: [["run/schemas.test.ts", "Schemas that check at once > can be stopped while they check"]],
  },
  {
    why: "A saved run first asks its store: it has not begun within the turns that the test waits.",
    ways: saved,
    tests: [["run/stopped-as-it-begins.test.ts"]],
  },
  {
    why: "The caller acts right after the call; a stream, or a run of which account is kept, has not begun by then.",
    ways: accounted,
    modes: streams,
    tests: [
      ["run/cancel.test.ts", "The signal of a node > is aborted already when it is read late"],
      ["run/lone-run.test.ts", "A node by itself > runs its function before `invoke` returns"],
      ["run/late-web-streams.test.ts", "cancels a web stream that a node of a step gives"],
      ["run/schemas.test.ts", "Schemas that check at once > can be stopped while they check"],
    ],
  },
  {
    why: "It asks which function of a node answers which mode.",
    modes: streams,
    tests: [
      ["compose/lambda.test.ts", /^a lambda > (makes|runs the mode)/],
      ["compose/node-kinds.test.ts", /its stream is used in streams|a Runnable from elsewhere|append the same steps/],
      ["run/branches.test.ts", "sees one chunk in a run on values"],
      ["run/callbacks-in-graphs.test.ts", "follow the function that really runs > in a run on values"],
      ["tools/node/agentic-tools-node.test.ts", "in the half that fits the mode"],
      ["tools/contract/errors.test.ts", "uses invoke for invoke and stream for stream"],
    ],
  },
  {
    why: "It looks at the order of starts, and a run on streams may start a node before the one ahead of it has ended.",
    modes: streams,
    tests: [["run/nested-graphs.test.ts", "is one segment of the address"]],
  },
  {
    why: "An output schema that changes the value does so only in invoke and collect.",
    modes: ["stream", "transform"],
    tests: [
      ["compose/graph-schemas.test.ts", "gives on what the schemas make of the values"],
      ["checkpoint/ends-of-graphs.test.ts", /that change a value change it once|do so in a graph inside/],
      ["run/schemas.test.ts", "gives nodes and callers what the schemas make of the values"],
    ],
  },
  {
    why: "What comes as a stream is told in pieces, or as nothing: also when it has one chunk.",
    modes: ["collect", "transform"],
    tests: [
      ["run/callbacks-in-graphs.test.ts", "in a run on streams, where the graph starts with what its caller gave"],
      ["run/keys-and-handlers.test.ts", "does not show in what handlers hear of the node"],
      ["tools/node/streamed-calls.test.ts", "hear of no start and no piece when the message is there at once"],
      [
        "tools/node/tool-hooks.test.ts",
        /^hooks of a call whose message is whole > (hear of valid input only|hear once when a middleware)/,
      ],
      ["tools/contract/watching.test.ts", /for a whole message|onOutput hears of success only/],
    ],
  },
  {
    why: "It hears what the console is told when nobody watches.",
    ways: watched,
    tests: [
      ["tools/node/output-validation.test.ts", "reaches handlers, and the console when nobody listens"],
      ["tools/node/tool-hooks.test.ts", "stand in the console with what they threw where no handler listens"],
    ],
  },
  {
    why: "It says how often the function of each node is called, which is once per chunk in some modes.",
    modes: streams,
    tests: [["run/properties/modes-agree.test.ts", "gives in all modes what the rules of graphs say"]],
  },
  {
    why: "Nobody waits for the functions of a stream: their stack does not lead to the caller.",
    modes: streams,
    tests: [["run/errors.test.ts", "keeps the stack of asynchronous functions down to the caller"]],
  },
  {
    why: "In a run on streams calls begin when somebody reads what the tools node gives.",
    modes: streams,
    tests: [["tools/node/results-of.test.ts", "knows it when another node of the graph has failed"]],
  },
  {
    why: "Twenty thousand lists of that length would be joined.",
    modes: streams,
    tests: [["tools/node/scheduling.test.ts", "runs many synchronous calls without growing the stack"]],
    sometimes: true,
  },
  {
    why: "The switch gives the graph a runtime of its own, and child runs have the one of the test.",
    ways: saved,
    tests: [["run/callbacks-in-graphs.test.ts", "in graphs inside and child runs of the same runtime"]],
  },
  {
    why: "It is about runs that are not saved.",
    ways: saved,
    tests: [["checkpoint/checkpoint-ids.test.ts", /^A graph without a store > says/]],
  },
  {
    why: "It is about runs that are not saved after every step.",
    ways: ["saved-step"],
    tests: [
      ["checkpoint/runs-and-ids.test.ts", "is not needed by values that only flow"],
      ["checkpoint/durability-exit.test.ts", "is the default: nothing is saved while nodes run"],
      ["run/each/streamed-items.test.ts", "begin as a node before them streams a list"],
    ],
  },
  {
    why: "A run whose input is a stream has saved nothing as long as more may come.",
    modes: ["collect", "transform"],
    tests: [["run/each/saved-items.test.ts", "wherever the process dies"]],
    sometimes: true,
  },
  {
    why: "An input that is a stream is saved when it has ended, as the input of the node that it goes to.",
    modes: ["collect", "transform"],
    tests: [["checkpoint/saved-values.test.ts", "without a codec are NOT_SERIALIZABLE"]],
  },
  {
    why: "Under step a value is refused as the output of its node, before it is the input of the next.",
    ways: ["saved-step"],
    tests: [
      ["checkpoint/runs-and-ids.test.ts", "saves at an interrupt only what can be saved"],
      ["checkpoint/saved-values.test.ts", "NOT_SERIALIZABLE, and the message says where"],
      [
        "checkpoint/saved-values.test.ts",
        /^What cannot be saved > is (.*the error names the place|no trouble as long)/,
      ],
    ],
  },
  {
    why: "It goes through every way to run, or every mode, by itself.",
    ways: everyWay,
    tests: [
      ["run/policies/policies-agree.property.test.ts"],
      ["run/properties/modes-agree.test.ts"],
      ["run/properties/runs-end-once.test.ts"],
      ["run/properties/chunks-join.property.test.ts"],
      ["run/properties/chunks-after-a-resume.property.test.ts"],
      ["run/properties/chunks-from-outside.property.test.ts"],
      ["run/properties/ways-agree.property.test.ts"],
      ["run/output-schemas.test.ts"],
      ["run/order-of-saved-handlers.test.ts"],
      ["checkpoint/saved-streams.test.ts", "goes on across modes"],
    ],
    sometimes: true,
  },
  {
    why: "It is about what the journal writes, and brings stores and modes of its own.",
    ways: everyWay,
    tests: [
      ["checkpoint/claim-with-input.test.ts"],
      ["checkpoint/own-claims.test.ts"],
      ["checkpoint/hanging-stores.test.ts"],
      ["checkpoint/copies.test.ts"],
      ["checkpoint/answered-ids.test.ts"],
      ["checkpoint/saved-bytes.test.ts"],
      ["checkpoint/store-contract.test.ts"],
      ["checkpoint/durability-exit.test.ts", "is the default: nothing is saved while nodes run"],
    ],
    sometimes: true,
  },
  {
    why: "It counts what is saved; code of a watcher, or a stream, comes between the last call and the end of its node, so that both are saved.",
    ways: everyWay,
    tests: [["checkpoint/durability-step.test.ts", "saves the last call of a tools node with its node"]],
    sometimes: true,
  },
  {
    why: "It looks at what is called, and when, before the call returns or before its first chunk.",
    ways: everyWay,
    tests: [
      ["compose/as-tool.test.ts", "has the middlewares of the form in which it runs"],
      ["compose/batch.test.ts", "are given on as they are, promises too"],
      ["compose/batch.test.ts", "begin at once, all of them"],
      ["run/deep-streams.test.ts"],
    ],
    sometimes: true,
  },
  {
    why: "After every step a stream is saved as a whole before the node behind it starts: it does not flow, its errors come before that node, and one that does not end stops the run.",
    ways: ["saved-step"],
    tests: [
      ["run/branches.test.ts", "decides on the first chunk while the rest still flows"],
      ["run/cancel.test.ts", "are closed > when a node that reads one fails"],
      ["run/cancel.test.ts", "are closed > when a branch has begun to read one"],
      ["run/cancel.test.ts", "are closed > when the run ends although nobody has read them"],
      ["run/cancel.test.ts", "are closed > and with them the stream that the caller has given"],
      ["run/errors.test.ts", /that a node handles is no error|that a node replaces is the node's own/],
      ["run/errors.test.ts", "of a chunk function is placed at its node, also among its like"],
      [
        "run/streams-in-graphs.test.ts",
        /^A stream of a graph > (comes as it is made|goes in chunk by chunk|is made only|may be empty)/,
      ],
      ["run/streams-in-graphs.test.ts", /by (break|cancel) aborts the signals/],
      ["run/fan-in.test.ts", /^Streams that meet > (flow on chunk by chunk|fail at the chunk|may have chunks)/],
      ["run/input-joining.test.ts", "when the stream that comes in is the output of another run"],
      [
        "run/input-key.test.ts",
        /may be missing in some chunks|is an error for a node on (values|streams) when nothing/,
      ],
      ["run/keys-and-handlers.test.ts", "An input key > takes its field out of the chunks that have it"],
    ],
    sometimes: true,
  },
];

/** What should hold and does not: defects of the executor. */
export const knownDefects: readonly Exception[] = [];

/** Files of which every test runs as it is written in every way: it is enough that they run once. */
export const filesAsWritten: readonly string[] = exceptions
  .filter(({ ways }) => ways === everyWay)
  .flatMap(({ tests }) => tests.filter(([, test]) => test === undefined).map(([file]) => file));
