import { assistantMessage, createTool, memoryStore, toolResultsOf } from "kumiko";
import { createAgent, createMiddleware, subAgents, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { uiMessages } from "kumiko/ui";
import { type Files, folderFiles, storeFiles, workspace } from "kumiko/workspace";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf } from "../agents/agents.js";
import { bytes, listed, textAt } from "./files-contract.js";

const newFiles = (): Files => storeFiles(memoryStore(), "team");

/** The results of calls of the tools of a workspace, one call per step. */
async function resultsOf(
  files: Files,
  calls: readonly (readonly [string, object])[],
  options: Omit<Parameters<typeof workspace>[0], "files"> = { resultLimit: false },
): Promise<{ text: string; isError: boolean }[]> {
  const answers = calls.map(([name, input], index) => assistantMessage([call(`c${index}`, name, input)]));
  const agent = createAgent({
    model: scriptedModel(...answers, "Done."),
    maxSteps: calls.length + 1,
    middleware: [workspace({ files, ...options })],
  });
  const { messages } = await agent.generate("Go");
  return messages.flatMap(toolResultsOf).map(({ result, isError = false }) => ({ text: result, isError }));
}

async function resultOf(files: Files, name: string, input: object): Promise<string> {
  const [result] = await resultsOf(files, [[name, input]]);
  return `${result?.isError === true ? "ERROR " : ""}${result?.text}`;
}

describe("the tools of a workspace", () => {
  it("write, read, edit, list and search files", async () => {
    const files = newFiles();
    const results = await resultsOf(files, [
      ["list_files", {}],
      ["write_file", { path: "./notes//trees.md", content: "Maple\nOak\nMaple again\n" }],
      ["edit_file", { path: "notes/trees.md", old: "Oak", new: "Oak, old" }],
      ["read_file", { path: "notes/trees.md" }],
      ["grep", { text: "Maple" }],
      ["edit_file", { path: "notes/trees.md", old: "Maple", new: "Acer", all: true }],
      ["list_files", { path: "notes" }],
      ["grep", { text: "M.ple" }],
    ]);
    expect(results.map(({ text }) => text)).toEqual([
      "There are no files.",
      "Wrote notes/trees.md.",
      "Edited notes/trees.md.",
      "Maple\nOak, old\nMaple again\n",
      "notes/trees.md:1: Maple\nnotes/trees.md:3: Maple again",
      "Edited notes/trees.md in 2 places.",
      "notes/trees.md",
      "No match.",
    ]);
    expect(await textAt(files, "notes/trees.md")).toBe("Acer\nOak, old\nAcer again\n");
  });

  it("answer with an error what cannot be done, and the run goes on", async () => {
    const files = newFiles();
    await files.write("a.txt", bytes("one two two"));
    await files.write("a.bin", Uint8Array.of(1, 0, 2));
    await files.write("latin1.txt", Uint8Array.of(0x63, 0x61, 0x66, 0xe9));
    const results = await resultsOf(files, [
      ["read_file", { path: "../secret" }],
      ["write_file", { path: "/etc/passwd", content: "x" }],
      ["list_files", { path: "a/../.." }],
      ["grep", { text: "x", path: "C:\\" }],
      ["read_file", { path: "none.txt" }],
      ["read_file", { path: "a.bin" }],
      ["read_file", { path: "latin1.txt" }],
      ["edit_file", { path: "none.txt", old: "a", new: "b" }],
      ["edit_file", { path: "a.bin", old: "a", new: "b" }],
      ["edit_file", { path: "a.txt", old: "three", new: "b" }],
      ["edit_file", { path: "a.txt", old: "two", new: "b" }],
      ["edit_file", { path: "a.txt", old: "", new: "b" }],
    ]);
    expect(results.every(({ isError }) => isError)).toBe(true);
    expect(results.map(({ text }) => text)).toEqual([
      expect.stringContaining('it contains ".."'),
      expect.stringContaining("it is absolute"),
      expect.stringContaining('it contains ".."'),
      expect.stringContaining("it contains a backslash"),
      expect.stringContaining("There is no file none.txt. list_files shows which there are."),
      expect.stringContaining("a.bin is a binary file of 3 bytes."),
      expect.stringContaining("latin1.txt is a binary file"),
      expect.stringContaining("There is no file none.txt. Write it with write_file."),
      expect.stringContaining("a.bin is a binary file"),
      expect.stringContaining("The text is not in a.txt."),
      expect.stringContaining("The text is 2 times in a.txt."),
      expect.stringContaining("old"),
    ]);
    expect(await textAt(files, "a.txt")).toBe("one two two");
  });

  it("answers with an error when the files fail, also when they are in the store of the run", async () => {
    const broken: Files = {
      ...newFiles(),
      ...Object.fromEntries(
        ["read", "write", "list", "delete"].map((name) => [
          name,
          () => {
            throw new Error("The disk is full.");
          },
        ]),
      ),
    } as never;
    const failing = folderFiles("/etc/passwd/folder");
    const store = sqliteStore(":memory:");
    const answers = ["read_file", "write_file", "list_files", "grep"].map((name) =>
      assistantMessage([
        call(name, name, {
          path: "a",
          ...(name === "write_file" && { content: "x" }),
          ...(name === "grep" && { text: "x" }),
        }),
      ]),
    );
    const agent = createAgent({
      model: scriptedModel(...answers, "Done."),
      middleware: [workspace({ files: broken })],
      store,
    });
    const { messages } = await agent.generate("Go", { threadId: "t" });
    expect(
      messages.flatMap(toolResultsOf).map(({ isError, result }) => [isError, result.includes("The disk is full.")]),
    ).toEqual([
      [true, true],
      [true, true],
      [true, true],
      [true, true],
    ]);
    const other = createAgent({
      model: scriptedModel(assistantMessage([call("1", "write_file", { path: "a", content: "x" })]), "Done."),
      middleware: [workspace({ files: failing })],
      store,
    });
    expect((await other.generate("Go", { threadId: "u" })).text).toBe("Done.");
  });

  it("gives 50,000 characters at once, and says how to go on", async () => {
    const files = newFiles();
    const text = `${"a".repeat(49_999)}😀${"b".repeat(60_000)}`;
    await files.write("long.txt", bytes(text));
    let read = "";
    let offset = 0;
    for (let page = 0; page < 3; page++) {
      const result = await resultOf(files, "read_file", { path: "long.txt", offset });
      const [, part = "", next] =
        /^([\s\S]*?)(?:\n\n\[Characters \d+ to \d+ of \d+\. Go on with offset: (\d+)\.\])?$/.exec(result) ?? [];
      expect(part.length).toBeLessThanOrEqual(50_000);
      read += part;
      offset = Number(next);
    }
    expect(read).toBe(text);
    expect(offset).toBeNaN();
    expect(await resultOf(files, "read_file", { path: "long.txt", offset: 200_000 })).toMatch(/has 110001 characters/);

    const names = Array.from(
      { length: 3_000 },
      (_, index) => `folder-with-a-long-name/${String(index).padStart(5, "0")}.txt`,
    );
    for (const name of names) await files.write(name, bytes("found it\n"));
    let after: string | undefined;
    const seen: string[] = [];
    do {
      const result = await resultOf(files, "list_files", {
        path: "folder-with-a-long-name",
        ...(after !== undefined && { after }),
      });
      expect(result.length).toBeLessThan(50_200);
      seen.push(...result.split("\n").filter((line) => line.startsWith("folder")));
      after = JSON.parse(/Go on with after: ("[^"]*")/.exec(result)?.[1] ?? "null") ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(names);

    const lines: string[] = [];
    let skip: number | undefined = 0;
    while (skip !== undefined) {
      const result: string = await resultOf(files, "grep", { text: "found", skip });
      expect(result.length).toBeLessThan(50_200);
      lines.push(...result.split("\n").filter((line) => line.startsWith("folder")));
      const next = /Go on with skip: (\d+)/.exec(result)?.[1];
      skip = next === undefined ? undefined : Number(next);
    }
    expect(lines).toEqual(names.map((name) => `${name}:1: found it`));
  });

  it("searches text files only, and cuts long lines around what was found", async () => {
    const files = newFiles();
    await files.write("a.bin", bytes("needle\0"));
    await files.write("b.txt", bytes(`${"x".repeat(5_000)}needle${"y".repeat(5_000)}\r\nnext needle needle\r\n`));
    await files.write("c/two.txt", bytes("one\nneedle\nthread\n"));
    await files.write("node_modules/d.txt", bytes("needle"));
    await files.write("e/.git/d.txt", bytes("needle"));
    const [long, next, ...others] = (await resultOf(files, "grep", { text: "needle" })).split("\n");
    expect(long).toMatch(/^b\.txt:1: …x{100}needle/);
    expect(long?.length).toBeLessThan(330);
    expect([next, ...others]).toEqual(["b.txt:2: next needle needle", "c/two.txt:2: needle"]);
    expect(await resultOf(files, "grep", { text: "needle\nthread" })).toBe("c/two.txt:2: needle");
    expect(await resultOf(files, "grep", { text: "needle", path: "c" })).toBe("c/two.txt:2: needle");
    expect(await resultOf(files, "grep", { text: "needle", path: "c/two.txt" })).toBe("c/two.txt:2: needle");
    expect(await resultOf(files, "grep", { text: "needle", path: "e/.git" })).toBe("e/.git/d.txt:1: needle");
    expect(await resultOf(files, "list_files", {})).toBe("a.bin\nb.txt\nc/two.txt");
    expect(await resultOf(files, "list_files", { path: "node_modules" })).toBe("node_modules/d.txt");
  });

  it("edits the newest content when others write meanwhile", async () => {
    const inner = newFiles();
    await inner.write("a", bytes("one"));
    let disturbed = 0;
    const files: Files = {
      read: (path) => inner.read(path),
      list: (prefix) => inner.list(prefix),
      delete: (path) => inner.delete(path),
      write: async (path, data, options) => {
        if (disturbed++ < 3) await inner.write("a", bytes(`${await textAt(inner, "a")} +`));
        return inner.write(path, data, options);
      },
    };
    expect(await resultOf(files, "edit_file", { path: "a", old: "one", new: "one, two" })).toBe("Edited a.");
    expect(await textAt(inner, "a")).toBe("one, two + + +");
  });

  it("uses the files that a function chooses", async () => {
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel(
        ...["a", "b"].flatMap((content) => [
          assistantMessage([call("1", "write_file", { path: "x", content })]),
          "Done.",
        ]),
      ),
      middleware: [
        workspace({ files: ({ threadId = "", userId = "" }) => storeFiles(store, `${userId}/${threadId}`) }),
      ],
      store,
    });
    await agent.generate("Go", { threadId: "t", userId: "ann" });
    await agent.generate("Go", { threadId: "u", userId: "ann" });
    expect(await textAt(storeFiles(store, "ann/t"), "x")).toBe("a");
    expect(await textAt(storeFiles(store, "ann/u"), "x")).toBe("b");
  });
});

describe("readOnly", () => {
  it("leaves the agent only the tools that read", async () => {
    const model = scriptedModel("Hi.");
    await createAgent({ model, middleware: [workspace({ files: newFiles(), readOnly: true })] }).generate("Hi");
    const names = model.calls[0]?.options.tools?.map(({ name }) => name);
    expect(names).toEqual(["list_files", "read_file", "grep"]);
  });

  it("keeps files and folders, in whatever case and form they are named", async () => {
    const files = newFiles();
    await files.write("templates/a.md", bytes("a"));
    // file systems exist to which these are all the same
    const forms = [
      "TEMPLATES/x",
      "\uff34emplates/x",
      "temp\u200clates/x",
      "templateſ/x",
      "stra\u00dfe/x",
      "\u03a3\u03c2/x",
      "cafe\u0301/x",
    ];
    const others = await resultsOf(
      files,
      forms.map((path) => ["write_file", { path, content: "x" }] as const),
      { readOnly: ["templates", "STRASSE", "\u03c3\u03c3", "caf\u00e9"], resultLimit: false },
    );
    expect(others.map(({ isError }) => isError)).toEqual(forms.map(() => true));
    const results = await resultsOf(
      files,
      [
        ...["templates/a.md", "Templates/b.md", "./templates//deep/c.md", "plan.md", "templates"].map(
          (path) => ["write_file", { path, content: "x" }] as const,
        ),
        ["edit_file", { path: "templates/a.md", old: "a", new: "b" }],
        ["write_file", { path: "templates-mine/a.md", content: "x" }],
      ],
      { readOnly: ["templates/", "plan.md"], resultLimit: false },
    );
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true, true, true, true, false]);
    expect(results[1]?.text).toContain("Templates/b.md is read only.");
    expect(await listed(files)).toEqual(["templates-mine/a.md", "templates/a.md"]);
  });
});

const long = (text: string): string => text.repeat(Math.ceil(30_000 / text.length));
const report = createTool({
  id: "report",
  description: "A long report.",
  inputSchema: z.object({}),
  execute: () => long("report "),
});

describe("resultLimit", () => {
  const stores = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

  it.each(Object.entries(stores))("moves long results into files (%s)", async (_name, makeStore) => {
    const store = makeStore();
    const files = storeFiles(store, "team");
    const model = scriptedModel(
      "Hello.",
      assistantMessage([call("call/1 é", "report")]),
      assistantMessage([call("2", "read_file", { path: "results/2-call%2f1%20%e9.txt" })]),
      "Done.",
    );
    const agent = createAgent({ model, tools: [report], middleware: [workspace({ files })], store });
    await agent.generate("Hi", { threadId: "t" });
    const stream = agent.stream("Go", { threadId: "t" });
    const events = await eventsOf(stream);
    const { messages } = await stream.result;
    const [short, whole] = messages.flatMap(toolResultsOf);
    expect(short?.result).toBe(
      `${long("report ").slice(0, 1_000)}\n\n[The result has 30002 characters. All of it is in results/2-call%2f1%20%e9.txt: read it with read_file.]`,
    );
    expect(whole?.result).toBe(long("report "));
    expect(await textAt(files, "results/2-call%2f1%20%e9.txt")).toBe(long("report "));
    const told = events.flatMap((event) => (event.type === "tool_result" ? toolResultsOf(event.message) : []));
    expect(told.map(({ result }) => result)).toEqual([short?.result, whole?.result]);
    expect(await threads(store).messages("t")).toEqual(expect.arrayContaining([...messages]));
    const [, , , answer] = await uiMessages(threads(store), "t");
    expect(JSON.stringify(answer)).toContain("[The result has 30002 characters.");
  });

  it("leaves errors, pictures, short results and what is returned directly as they are", async () => {
    const tools = [
      createTool({
        id: "fails",
        description: "",
        inputSchema: z.object({}),
        execute: () => {
          throw new Error(long("no "));
        },
      }),
      createTool({ id: "short", description: "", inputSchema: z.object({}), execute: () => "s".repeat(20_000) }),
      createTool({
        id: "picture",
        description: "",
        inputSchema: z.object({}),
        toModelOutput: () => [
          { type: "text" as const, text: long("p") },
          { type: "image" as const, base64Data: "aGk=", mimeType: "image/png" },
        ],
        execute: () => "x",
      }),
      createTool({ id: "direct", description: "", inputSchema: z.object({}), execute: () => long("d") }),
    ];
    const files = newFiles();
    const names = ["fails", "short", "picture", "direct"];
    const agent = createAgent({
      model: scriptedModel(assistantMessage(names.map((name) => call(name, name)))),
      tools,
      returnDirectly: ["direct"],
      middleware: [workspace({ files })],
    });
    const result = await agent.generate("Go");
    expect(result.messages.flatMap(toolResultsOf).map((block) => block.result.length >= 20_000)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(result.text).toBe(long("d"));
    expect(await listed(files)).toEqual([]);
  });

  it("lets streaming tools stream, whole or streamed alike", async () => {
    const pieces = Array.from({ length: 30 }, (_, index) => `${String(index % 10)}`.repeat(1_000));
    const streaming = createTool({
      id: "streaming",
      description: "",
      inputSchema: z.object({}),
      execute: async function* () {
        yield* pieces;
      },
    });
    const logs: string[][] = [];
    for (const isStreamed of [false, true]) {
      const files = newFiles();
      const agent = createAgent({
        model: scriptedModel(assistantMessage([call("1", "streaming")]), "Done."),
        tools: [streaming],
        middleware: [workspace({ files })],
      });
      const stream = agent.stream("Go");
      const events = isStreamed ? await eventsOf(stream) : [];
      const { messages } = isStreamed ? await stream.result : await agent.generate("Go");
      if (isStreamed)
        expect(events.flatMap((event) => (event.type === "tool_output_delta" ? [event.delta] : []))).toEqual(pieces);
      else void stream.cancel?.();
      logs.push(messages.flatMap(toolResultsOf).map(({ result }) => result));
      expect(await textAt(files, "results/1-1.txt")).toBe(pieces.join(""));
    }
    expect(logs[0]?.[0]).toMatch(/^0{1000}\n\n\[The result has 30000 characters\. All of it is in results\/1-1\.txt/);
    expect(logs[1]).toEqual(logs[0]);
  });

  it("counts its own limit, and can be switched off", async () => {
    for (const [resultLimit, isMoved] of [
      [7, true],
      [false, false],
      [40_000, false],
    ] as const) {
      const files = newFiles();
      const agent = createAgent({
        model: scriptedModel(assistantMessage([call("1", "report")]), "Done."),
        tools: [report],
        middleware: [workspace({ files, resultLimit })],
      });
      const { messages } = await agent.generate("Go");
      expect(messages.flatMap(toolResultsOf)[0]?.result.startsWith("report \n\n[")).toBe(isMoved);
      expect(await listed(files)).toEqual(isMoved ? ["results/1-1.txt"] : []);
    }
  });

  it("keeps a result that cannot be written, and says so", async () => {
    const seen: unknown[] = [];
    const files = newFiles();
    const agent = createAgent({
      model: scriptedModel(assistantMessage([call("1", "report")]), "Done."),
      tools: [report],
      middleware: [workspace({ files, readOnly: ["results"] })],
    });
    const stream = agent.stream("Go");
    for await (const event of stream) if (event.type === "tool_progress") seen.push(event.value);
    const { messages } = await stream.result;
    expect(messages.flatMap(toolResultsOf)[0]?.result).toBe(long("report "));
    expect(seen).toEqual([
      {
        kind: "result_not_moved",
        path: "results/1-1.txt",
        message: "results/1-1.txt is read only. Write another file.",
      },
    ]);
  });

  it("moves the results of inner agents into the files of the thread's turn", async () => {
    const store = memoryStore();
    const files = storeFiles(store, "team");
    const inner = createAgent({
      name: "inner",
      description: "Works.",
      model: scriptedModel(assistantMessage([call("7", "report")]), "Read."),
      tools: [report],
      middleware: [workspace({ files })],
    });
    const outer = createAgent({
      model: scriptedModel("Hi.", assistantMessage([call("1", "task", { agent: "inner", prompt: "Go" })]), "Done."),
      middleware: [subAgents({ agents: [inner] })],
      store,
    });
    await outer.generate("Hi", { threadId: "t" });
    await outer.generate("Go", { threadId: "t" });
    expect(await listed(files)).toEqual(["results/2-7.txt"]);
  });

  it("stands beside middlewares that wrap tools", async () => {
    const files = newFiles();
    const shout = createMiddleware({
      name: "shout",
      wrapToolCall: async (_call, next) => String(await next()).toUpperCase(),
    });
    const agent = createAgent({
      model: scriptedModel(assistantMessage([call("1", "report")]), "Done."),
      tools: [report],
      middleware: [shout, workspace({ files })],
    });
    await agent.generate("Go");
    expect(await textAt(files, "results/1-1.txt")).toBe(long("REPORT "));
  });
});

describe("bad options of workspace", () => {
  it.each([
    [{}, /files of workspace must have read, write, list and delete/],
    [{ files: {} }, /files of workspace must have/],
    [{ files: newFiles(), readonly: true }, /Unknown option "readonly" of workspace. Did you mean "readOnly"\?/],
    [{ files: newFiles(), readOnly: "a" }, /readOnly of workspace must be/],
    [{ files: newFiles(), readOnly: ["../a"] }, /it contains ".."/],
    [{ files: newFiles(), readOnly: [5] }, /a path must be a string/],
    [{ files: newFiles(), resultLimit: 0 }, /resultLimit of workspace must be/],
    [{ files: newFiles(), resultLimit: 1.5 }, /resultLimit of workspace must be/],
    [{ files: newFiles(), resultLimit: true }, /resultLimit of workspace must be/],
    [{ files: newFiles(), readOnly: true, resultLimit: 5 }, /exclude each other/],
    [undefined, /The options of workspace must be an object/],
  ])("%j", (options, message) => {
    expect(() => workspace(options as never)).toThrow(message);
  });

  it("says at the call what a function has returned that are no files", async () => {
    const agent = createAgent({
      model: scriptedModel(assistantMessage([call("1", "list_files")]), "Done."),
      middleware: [workspace({ files: () => ({}) as never })],
    });
    const { messages } = await agent.generate("Go");
    expect(messages.flatMap(toolResultsOf)[0]).toMatchObject({
      isError: true,
      result: expect.stringContaining("files of workspace must have"),
    });
  });
});
