import { type AgenticModel, assistantMessage, functionToolCall, textOf, toolCallsOf, toolResultsOf } from "kumiko";
import { describe, expect, it } from "vitest";
import { localModel } from "../../examples/demo/local-model.js";
import { runDemo } from "../../examples/demo/run-demo.js";
import { folderWith, project } from "./demo-folder.js";

/** The answer, the tools that were called, and everything that was shown. */
async function ask(folder: string, question: string, model: AgenticModel = localModel()) {
  let shown = "";
  const write = (text: string) => {
    shown += text;
  };
  const answer = textOf(await runDemo({ model, folder, question, write, width: 120, trace: true }));
  const calls = [...shown.matchAll(/^ {2}→ (\w+) /gm)].map(([, name]) => name);
  return { answer, calls, shown };
}

describe("a question in several parts", () => {
  const question = "Which dependencies are largest, who depends on them, and what does the changelog say?";

  it("is answered from the sizes, the dependents and the changelog", async () => {
    const { answer } = await ask(await project(), question);
    expect(answer).toContain("5 packages are installed");
    expect(answer).toContain("1. glue 5.0.0: 50.0 kB in 2 files");
    expect(answer).toContain("- glue is needed by left");
    expect(answer).toContain("- right is needed by this project (for development)");
    expect(answer).toContain('CHANGELOG.md says under "2.1.0":\n- Carts can be shared.\n- Faster search.');
    expect(answer).not.toContain("Everything is new");
  });

  it("calls two tools in one message, one of which streams, and recovers from a tool that is not there", async () => {
    const { shown, calls } = await ask(await project(), question);
    expect(calls).toEqual(["largest_packages", "list_files", "npm_dependents", "read_file", "package_dependents"]);
    const [first = "", , afterResults = ""] = shown.split("● ");
    expect(first).toContain("Folder");
    expect(shown).toMatch(/→ largest_packages .*\n.*→ list_files/);
    expect(shown).toMatch(/^ {2}\? npm_dependents \d+ ms There is no tool "npm_dependents" here\./m);
    expect(shown).toContain("  │ read_file # Changelog\n");
    expect(shown).toContain("● There is no npm_dependents here, but package_dependents tells the same.");
    expect(afterResults).toContain("→ read_file");
  });

  it("is shown with a tree of what took how long", async () => {
    const { shown } = await ask(await project(), question);
    const trace = shown.slice(shown.indexOf("\nTrace\n"));
    expect(trace).toMatch(/✓ guide agent \d+\.\d+ ms/);
    expect(trace).toMatch(/├─ ✓ tools tools_node \d+\.\d+ ms/);
    expect(trace).toMatch(/│ {2}[├└]─ ✓ largest_packages tool \d+\.\d+ ms/);
  });
});

describe("other questions", () => {
  it.each([
    ["Why is glue installed?", "glue is installed because this project needs left and left needs glue."],
    [
      "Which two packages are largest and why are they installed?",
      "this project needs left and left needs glue.\n@scope/tool is",
    ],
    ["How large is glue and who needs it?", "glue is needed by left."],
    ["What is left?", "left is at version 1.2.0"],
    ["What is shop?", "shop is at version 2.1.0."],
    ["What is love?", 'No package "love" is installed.'],
    ["What does left depend on?", "left 1.2.0 asks for 1 package:\n- dependencies: glue ^5.0.0"],
    ["Which dependencies does this project have?", "dependencies: left ^1.0.0"],
    ["How large is glue?", "glue takes 50.0 kB in 2 files."],
    ["Who uses nothing-like-this?", "nothing-like-this is not installed, and nobody needs it."],
    ["What version of left is installed?", "left is at version 1.2.0 (and 0.9.0 inside other packages)."],
    ["What is new in version 2.0.0?", "- Everything is new."],
    ["What does the changelog say about 9.9.9?", "no entry for version 9.9.9"],
    ["What is the changelog of left?", "There is no changelog in left."],
    ["How do I run the tests?", "npm run test: run the tests"],
    ["Which scripts are there?", "package.json has 2 scripts"],
    ["Where is total defined?", "It is defined in src/cart.ts, line 2"],
    ['Which files contain "木組み"?', "文書/grüße.txt:1: Hallo 木組み"],
    ["Are there any TODOs?", "src/cart.ts:1: // TODO: round prices"],
    ["How many lines of TypeScript are in src?", "2 text files like *.ts in src with 6 lines"],
    ["Which two files are largest?", "1. package.json"],
    ["Which folder takes most space?", "1. node_modules"],
    ["Which markdown files are there?", "- CHANGELOG.md"],
    ["What is in README.md?", 'Its title is "Shop". It begins: Sells things. Its sections: Install and Use.'],
    ["What is in grüße.txt?", "文書/grüße.txt has 1 line."],
    ["Show the first 2 lines of src/main.ts", "All 2 lines of src/main.ts"],
    ["What is in src?", "src is a folder with 2 files"],
    ["What is in this folder?", "This is shop 2.1.0:\n- 6 files"],
  ])("%s", async (question, expected) => {
    expect((await ask(await project(), question)).answer).toContain(expected);
  });

  it("call no more than they need", async () => {
    const root = await project();
    expect((await ask(root, "How large is glue?")).calls).toEqual(["folder_sizes"]);
    expect((await ask(root, "What is in README.md?")).calls).toEqual(["read_file"]);
  });
});

describe("what cannot be answered", () => {
  it.each(["What is the weather in Kyoto?", "Who wrote Hamlet?", "???", "木"])(
    "is said to be so, without a tool call: %s",
    async (question) => {
      const { answer, calls } = await ask(await project(), question);
      expect(answer).toMatch(/^I cannot answer that\..*\n- What does the changelog say\?/);
      expect(calls).toEqual([]);
    },
  );

  it("does not keep the other part of a question from its answer", async () => {
    const { answer } = await ask(await project(), "How large is glue, and what is the meaning of life?");
    expect(answer).toContain("glue takes 50.0 kB");
    expect(answer).toContain('I did not understand "what is the meaning of life"');
  });

  it("is told in the words of the tool that failed", async () => {
    const root = await folderWith({ "bin.dat": new Uint8Array([0]) });
    expect((await ask(root, "What is in bin.dat?")).answer).toBe(
      'I could not read bin.dat. "bin.dat" is a binary file, which cannot be shown as text.',
    );
    expect((await ask(root, "What is in other.txt?")).answer).toBe('I found no file or folder "other.txt" here.');
    expect((await ask(root, "Which scripts are there?")).answer).toContain("no package.json that can be read");
    expect((await ask(root, "Which dependencies are largest?")).answer).toContain("No packages are installed");
  });

  it("is also said of an empty folder", async () => {
    expect((await ask(await folderWith({}), "What is in this folder?")).answer).toContain("There are no files");
  });
});

describe("the model", () => {
  it("can be any other", async () => {
    const model: AgenticModel = {
      component: "model",
      generate: async () => assistantMessage(""),
      async *stream(messages) {
        const [result] = messages.flatMap(toolResultsOf);
        const call = functionToolCall({ callId: "a", name: "read_file", arguments: '{"path":"README.md","lines":1}' });
        yield result === undefined ? assistantMessage([call]) : assistantMessage(`It says: ${result.result}`);
      },
    };
    const { answer, calls } = await ask(await project(), "Anything", model);
    expect(answer).toBe("It says: # Shop\n[the file goes on at line 2]\n");
    expect(calls).toEqual(["read_file"]);
  });

  it("gives the same as a whole message as in a stream of words and pieces of calls", async () => {
    const context = { signal: new AbortController().signal } as Parameters<AgenticModel["generate"]>[1];
    const question = [{ role: "user", contentBlocks: [{ type: "user_input_text", text: "Which scripts are there?" }] }];
    const message = await localModel().generate(question as never, context);
    expect(textOf(message)).toBe("Let me read the package.json.");
    expect(toolCallsOf(message)).toEqual([
      { type: "function_tool_call", callId: "call_1", name: "package_info", arguments: "{}" },
    ]);
    const chunks = [];
    for await (const chunk of localModel().stream(question as never, context) as AsyncIterable<unknown>)
      chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(6);
  });

  it("that fails fails the run, and the trace is shown all the same", async () => {
    let shown = "";
    const model: AgenticModel = {
      component: "model",
      generate: async () => assistantMessage(""),
      stream: () => {
        throw new Error("no key");
      },
    };
    const write = (text: string) => {
      shown += text;
    };
    await expect(runDemo({ model, folder: await folderWith({}), question: "Hm?", write, trace: true })).rejects.toThrow(
      "no key",
    );
    expect(shown).toContain("✗ guide agent");
  });
});

it("shows nothing that would move the cursor, and no colors unless they are wanted", async () => {
  const root = await folderWith({ "a.txt": "\u001b[2Jgone\u0007\n" });
  expect((await ask(root, "What is in a.txt?")).shown).not.toMatch(/[^\P{Cc}\n]/u);
  let shown = "";
  const write = (text: string) => {
    shown += text;
  };
  await runDemo({ model: localModel(), folder: root, question: "What is in a.txt?", write, colors: true, trace: true });
  expect(shown).toContain("\u001b[1mTrace\u001b[22m");
});

it("stops when it is told to", async () => {
  const stop = new AbortController();
  const write = (text: string) => {
    if (text.includes("→")) stop.abort(new Error("enough"));
  };
  const running = runDemo({
    model: localModel(),
    folder: await project(),
    question: "Why is glue installed?",
    write,
    signal: stop.signal,
  });
  await expect(running).rejects.toThrow("enough");
});
