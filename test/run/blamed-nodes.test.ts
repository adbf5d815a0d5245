import { Chain, END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { everyWay, inEveryWay } from "./every-way.js";
import { microtasks } from "./properties/build-graph.js";

async function* letters(text: string) {
  yield* text;
}
const fails = (): string => {
  throw new Error("no");
};

const given = { value: "abc" };
const joins = (parts: object): object => parts;

type Node = (text: string) => Promise<unknown>;

/** Two nodes side by side, and one that streams. */
const sideBySide = (triggerMode: "anyPredecessor" | "allPredecessor", left: Node, right: Node) => (options: object) =>
  new Graph<string, unknown>()
    .addNode("left", plain(left), { outputKey: "left" })
    .addNode("right", plain(right), { outputKey: "right" })
    .addNode("streams", letters, { outputKey: "streams" })
    .addNode("joins", joins)
    .addEdge(START, "streams")
    .addEdge("streams", "joins")
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge("left", "joins")
    .addEdge("right", "joins")
    .addEdge("joins", END)
    .compile({ triggerMode, ...options });

describe.each(["anyPredecessor", "allPredecessor"] as const)("an error in a graph (%s)", (triggerMode) => {
  it.each([["before"], ["after"]])(
    "names the node that failed, and not one that opens a stream %s it",
    async (side) => {
      for (let delay = 0; delay < 20; delay++) {
        const opens = async (text: string) => {
          await microtasks(delay);
          return letters(text);
        };
        const fails = async (): Promise<string> => {
          await microtasks(4);
          throw new Error("no");
        };
        const compile =
          side === "before" ? sideBySide(triggerMode, opens, fails) : sideBySide(triggerMode, fails, opens);
        const nodePath = [side === "before" ? "right" : "left"];
        expect(await inEveryWay(compile, given)).toEqual(everyWay({ code: "NODE_FAILED", nodePath }));
      }
    },
  );

  it("names the node whose stream failed, and not the one that reads it", async () => {
    async function* breaks(): AsyncGenerator<string> {
      yield "a";
      fails();
    }
    const compile = (options: object) =>
      new Graph<string, string>()
        .addNode("breaks", breaks)
        .addNode("reads", (text: string) => text)
        .addEdge(START, "breaks")
        .addEdge("breaks", "reads")
        .addEdge("reads", END)
        .compile({ triggerMode, ...options });
    expect(await inEveryWay(compile, given)).toEqual(everyWay({ code: "NODE_FAILED", nodePath: ["breaks"] }));
  });
});

describe("chunks that cannot be joined", () => {
  async function* objects() {
    yield { a: 1 };
    yield { a: 2 };
  }
  const refused = (...nodePath: string[]) => everyWay({ code: "CANNOT_CONCAT", nodePath });

  it("are blamed on the node that yields them, not on the one that reads the whole", async () => {
    const compile = (options: object) =>
      new Chain<string>()
        .append(objects, { key: "yields" })
        .append((whole) => whole, { key: "reads" })
        .compile(options);
    expect(await inEveryWay(compile, given)).toEqual(refused("yields"));
  });

  it("are blamed on that node when the caller joins them", async () => {
    const compile = (options: object) => new Chain<string>().append(objects, { key: "yields" }).compile(options);
    expect(await inEveryWay(compile, given)).toEqual(refused("yields"));
  });

  it("are blamed on that node when a branch reads them", async () => {
    const compile = (options: object) =>
      new Graph<string, unknown>()
        .addNode("yields", objects)
        .addEdge(START, "yields")
        .addBranch("yields", [END], () => END)
        .compile(options);
    expect(await inEveryWay(compile, given)).toEqual(refused("yields"));
  });

  it("are blamed on that node when it stands in a graph in the graph", async () => {
    const compile = (options: object) =>
      new Chain<string>()
        .append(new Chain<string>().append(objects, { key: "yields" }), { key: "inner" })
        .append((whole) => whole, { key: "reads" })
        .compile(options);
    expect(await inEveryWay(compile, given)).toEqual(refused("inner", "yields"));
  });

  it("are blamed on the node whose concat refuses them", async () => {
    const compile = (options: object) =>
      new Chain<string>()
        .append(letters, { key: "yields", concat: "record" })
        .append((whole) => whole, { key: "reads" })
        .compile(options);
    expect(await inEveryWay(compile, given)).toEqual(refused("yields"));
  });

  it("fail their node when its concat is a function that throws", async () => {
    const compile = (options: object) =>
      new Chain<string>()
        .append(letters, { key: "yields", concat: fails })
        .append((whole) => whole, { key: "reads" })
        .compile(options);
    expect(await inEveryWay(compile, given)).toEqual(everyWay({ code: "NODE_FAILED", nodePath: ["yields"] }));
  });
});
