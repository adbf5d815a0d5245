import { END, Graph, START, type StandardSchemaV1, StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plain } from "../compose/thrown-by.js";
import { turns } from "./gate.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

/** A schema that takes its time. */
const later = <In, Out>(schema: StandardSchemaV1<In, Out>): StandardSchemaV1<In, Out> => ({
  "~standard": {
    ...schema["~standard"],
    validate: async (value: unknown) => {
      await turns();
      return schema["~standard"].validate(value);
    },
  },
});

const text = z.string();
const short = z.string().max(3, "too long");

describe.each([
  ["at once", text, short],
  ["later", later(text), later(short)],
])("Schemas that check %s", (_when, input, output) => {
  describe.each(["anyPredecessor", "allPredecessor"] as const)("in an %s graph", (triggerMode) => {
    const ran: unknown[] = [];
    const graph = new Graph({ input, output })
      .addNode("letters", async function* (given: string) {
        ran.push(given);
        yield* given;
      })
      .addEdge(START, "letters")
      .addEdge("letters", END)
      .compile({ triggerMode, name: "checked" });

    it("let pass what fits, in all modes", async () => {
      expect(await graph.invoke("abc")).toBe("abc");
      expect(await graph.stream("abc").concat()).toBe("abc");
      expect(await graph.collect(StreamReader.from(["a", "bc"]))).toBe("abc");
      expect(await graph.transform(StreamReader.from(["a", "bc"])).concat()).toBe("abc");
    });

    it("refuse an input before any node runs", async () => {
      ran.length = 0;
      for (const run of [graph.invoke(plain(5)), graph.stream(plain(5)).concat(), graph.collect(plain([5]))]) {
        const error = await errorOf(run);
        expect(error).toMatchObject({ code: "VALIDATION", nodePath: [] });
        expect(error.message).toContain("The input of the graph does not fit its schema");
      }
      expect(ran).toEqual([]);
    });

    it("refuse an output, and handlers hear of the failure once", async () => {
      for (const mode of ["invoke", "stream"] as const) {
        const recorder = recordingHandler();
        const options = { callbacks: [recorder] };
        const error = await errorOf(
          mode === "invoke" ? graph.invoke("abcd", options) : graph.stream("abcd", options).concat(),
        );
        expect(error).toMatchObject({ code: "VALIDATION", nodePath: [] });
        expect(error.message).toBe("The output of the graph does not fit its schema: too long.");
        expect(recorder.names()).toEqual(["onStart checked", "onStart letters", "onEnd letters", "onError checked"]);
      }
    });

    it("refuse an output after its chunks have been given", async () => {
      const chunks: string[] = [];
      const reading = (async () => {
        for await (const chunk of graph.stream("abcd")) chunks.push(chunk);
      })();
      expect((await errorOf(reading)).code).toBe("VALIDATION");
      expect(chunks).toEqual(["a", "b", "c", "d"]);
    });
  });

  it("can be stopped while they check", async () => {
    const ran: string[] = [];
    const graph = new Graph({ input, output })
      .addNode("same", (given: string) => {
        ran.push(given);
        return given;
      })
      .addEdge(START, "same")
      .addEdge("same", END)
      .compile();
    const controller = new AbortController();
    const stop = new Error("stop");
    const run = graph.invoke("a", { signal: controller.signal });
    controller.abort(stop);
    if (_when === "later") expect(await rejectedBy(run)).toBe(stop);
    else expect(await run).toBe("a");
    await turns();
    expect(ran).toEqual(_when === "later" ? [] : ["a"]);
  });

  it("of a nested graph fail its node", async () => {
    const inner = new Graph({ input, output })
      .addNode("same", (given: string) => given)
      .addEdge(START, "same")
      .addEdge("same", END);
    const outer = new Graph<string, string>()
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile();
    for (const run of [outer.invoke("abcd"), outer.stream("abcd").concat()]) {
      expect(await errorOf(run)).toMatchObject({ code: "VALIDATION", nodePath: ["inner"] });
    }
  });
});

it("gives nodes and callers what the schemas make of the values", async () => {
  const graph = new Graph({ input: z.string().transform(Number), output: z.number().transform(String) })
    .addNode("double", (count: number) => count * 2)
    .addEdge(START, "double")
    .addEdge("double", END)
    .compile();
  expect(await graph.invoke("21")).toBe("42");
});
