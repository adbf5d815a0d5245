import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assistantMessage, type CheckpointStore, createTool, memoryStore, textOf, toolResultsOf } from "kumiko";
import { createAgent, createMiddleware, subAgents } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { type Files, folderFiles, skills, storeFiles, workspace } from "kumiko/workspace";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { call } from "../agents/agents.js";
import { bytes, textAt } from "./files-contract.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-skills-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const skillText = (name: string, description: string, body = `# ${name}\n\nDo it well.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

async function filesWith(texts: Readonly<Record<string, string>>): Promise<Files> {
  const files = storeFiles(memoryStore(), "team");
  for (const [path, text] of Object.entries(texts)) await files.write(path, bytes(text));
  return files;
}

/** What was told in a run that answers at once, and the instructions that the model saw. */
async function listedFrom(
  files: Files,
  path?: string,
): Promise<{ instructions: string; told: unknown[]; tools: string[] }> {
  const told: unknown[] = [];
  const model = scriptedModel("Done.");
  const agent = createAgent({
    model,
    middleware: [skills({ files, ...(path !== undefined && { path }) })],
    callbacks: [{ onEvent: (_info, event) => void told.push((event as { event?: unknown }).event) }],
  });
  await agent.generate("Go");
  const [first] = model.calls;
  const system = first?.messages.filter(({ role }) => role === "system") ?? [];
  return {
    instructions: system.map(textOf).join("\n"),
    told,
    tools: first?.options.tools?.map(({ name }) => name) ?? [],
  };
}

/** The results of calls of `load_skill`. */
async function loaded(files: Files, ...inputs: readonly object[]): Promise<string[]> {
  const answers = inputs.map((input, index) => assistantMessage([call(`c${index}`, "load_skill", input)]));
  const agent = createAgent({
    model: scriptedModel(...answers, "Done."),
    middleware: [skills({ files })],
    maxSteps: inputs.length + 1,
  });
  const { messages } = await agent.generate("Go");
  return messages.flatMap(toolResultsOf).map(({ result, isError }) => `${isError === true ? "ERROR " : ""}${result}`);
}

const lines = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("- "));

describe("skills", () => {
  it("are listed in the instructions, and read when they are needed", async () => {
    const files = await filesWith({
      "skills/reports/SKILL.md": skillText("reports", "Writes reports."),
      "skills/reports/reference/forms.md": "The forms.",
      "skills/letters/SKILL.md": skillText("letters", "Writes letters."),
      "skills/README.md": "Not a skill.",
      "skills/deep/er/SKILL.md": skillText("deeper", "Too deep."),
      "other/SKILL.md": skillText("other", "Elsewhere."),
    });
    const { instructions, told, tools } = await listedFrom(files);
    expect(lines(instructions)).toEqual(["- letters: Writes letters.", "- reports: Writes reports."]);
    expect(told).toEqual([]);
    expect(tools).toEqual(["load_skill"]);
    expect(
      await loaded(
        files,
        { name: "reports" },
        { name: "reports", file: "reference/forms.md" },
        { name: "nothing" },
        { name: "reports", file: "../letters/SKILL.md" },
        { name: "reports", file: "/etc/passwd" },
        { name: "reports", file: "none" },
      ),
    ).toEqual([
      "# reports\n\nDo it well.\n\n[Files of the skill: reference/forms.md]",
      "The forms.",
      expect.stringMatching(/^ERROR .*There is no skill nothing\. Skills: letters, reports\./),
      expect.stringMatching(/^ERROR .*it contains "\.\."/),
      expect.stringMatching(/^ERROR .*it is absolute/),
      expect.stringMatching(/^ERROR .*There is no file skills\/reports\/none/),
    ]);
  });

  it("are read in the forms in which they are published", async () => {
    const files = await filesWith({
      "skills/a/SKILL.md":
        '---\nname: "a-quoted"\ndescription: >-\n  Folded\n  text: with a colon.\nlicense: Apache-2.0\nmetadata:\n  author: example\n  version: "1.0"\nallowed-tools: Bash(git:*) Read\n---\nBody',
      "skills/b/SKILL.md": "\uFEFF---\r\nname: windows\r\ndescription: Line ends of Windows.\r\n---\r\nBody",
      "skills/c/SKILL.md": "---\nname: colons\ndescription: Use this: when there are colons, e.g. a: b\n---\n",
      "skills/d/SKILL.md":
        "---\n# a comment\nname: comment # another\ndescription: |\n  Two\n  lines.\n---\n---\nA line of dashes in the body.",
      "skills/e/SKILL.md": "---\nname: 7\ndescription: A number for a name.\n---",
    });
    const { instructions, told } = await listedFrom(files);
    expect(told).toEqual([]);
    expect(lines(instructions)).toEqual([
      "- 7: A number for a name.",
      "- a-quoted: Folded text: with a colon.",
      "- colons: Use this: when there are colons, e.g. a: b",
      "- comment: Two lines.",
      "- windows: Line ends of Windows.",
    ]);
    expect(await loaded(files, { name: "comment" })).toEqual(["---\nA line of dashes in the body."]);
  });

  it("that are broken or huge are events, and the others are there", async () => {
    const broken = {
      none: "# No front matter",
      open: "---\nname: open\ndescription: never closed\n",
      yaml: "---\nname: [unclosed\ndescription: x\n---\n",
      list: "---\n- a\n---\n",
      nameless: "---\ndescription: x\n---\n",
      blank: "---\nname: blank\ndescription: '  '\n---\n",
      object: "---\nname: { a: 1 }\ndescription: x\n---\n",
      slash: "---\nname: ../up\ndescription: x\n---\n",
      long: `---\nname: long\ndescription: ${"x".repeat(1_025)}\n---\n`,
      alias: "---\nname: &a alias\ndescription: *a\n---\n",
      binary: "---\nname: binary\ndescription: x\n---\n\0",
      huge: skillText("huge", "Huge.", "x".repeat(1_000_001)),
      twice: skillText("good", "The same name."),
    };
    const files = await filesWith({
      "skills/good/SKILL.md": skillText("good", "Good."),
      ...Object.fromEntries(Object.entries(broken).map(([name, text]) => [`skills/${name}/SKILL.md`, text])),
    });
    const { instructions, told } = await listedFrom(files);
    expect(lines(instructions)).toEqual(["- good: Good."]);
    const paths = Object.keys(broken).map((name) => `skills/${name}/SKILL.md`);
    expect(told.map((event) => (event as { path: string }).path).sort()).toEqual(paths.sort());
    for (const event of told)
      expect(event).toEqual({ kind: "skill_broken", path: expect.any(String), message: expect.stringMatching(/./) });
    expect(told).toContainEqual({
      kind: "skill_broken",
      path: "skills/nameless/SKILL.md",
      message: "Its front matter has no name.",
    });
  });

  it("that are long are read page by page", async () => {
    const files = await filesWith({ "skills/a/SKILL.md": skillText("a", "A.", "x".repeat(60_000)) });
    const [first, second] = await loaded(files, { name: "a" }, { name: "a", offset: 50_000 });
    expect(first).toMatch(/^x{50000}\n\n\[Characters 0 to 50000 of 60000\. Go on with offset: 50000\.\]$/);
    expect(second).toBe("x".repeat(10_000));
  });

  it("may be absent, and files may fail: the agent answers all the same", async () => {
    const none = await listedFrom(storeFiles(memoryStore(), "empty"));
    expect(none).toEqual({ instructions: "", told: [], tools: [] });
    const failing = {
      ...storeFiles(memoryStore(), "x"),
      read: async () => undefined,
      write: async () => "",
      delete: async () => undefined,
      list: () => {
        throw new Error("The disk is full.");
      },
    } as Files;
    const { told } = await listedFrom(failing);
    expect(told).toEqual([{ kind: "skills_failed", path: "skills", message: "The disk is full." }]);
  });

  it("stand in a folder of the disk, and in the whole of one", async () => {
    const root = mkdtempSync(join(folder, "root-"));
    mkdirSync(join(root, "reports"));
    writeFileSync(join(root, "reports/SKILL.md"), skillText("reports", "Writes reports."));
    writeFileSync(join(folder, "secret"), skillText("secret", "Outside."));
    mkdirSync(join(root, "linked"));
    symlinkSync(join(folder, "secret"), join(root, "linked/SKILL.md"));
    const { instructions } = await listedFrom(folderFiles(root), "");
    expect(lines(instructions)).toEqual(["- reports: Writes reports."]);
  });

  it("are found beside links that go round, pipes, folders in place of files, and files that are too large", async () => {
    const root = mkdtempSync(join(folder, "root-"));
    const at = (...names: string[]): string => join(root, "skills", ...names);
    for (const name of ["good", "loop", "pipe", "folder", "large", "larger", "latin"])
      mkdirSync(at(name), { recursive: true });
    writeFileSync(at("good/SKILL.md"), skillText("good", "Good."));
    symlinkSync("SKILL.md", at("loop/SKILL.md"));
    symlinkSync("../good", at("good/itself"));
    symlinkSync("..", at("up"));
    symlinkSync("good", at("alias"));
    execFileSync("mkfifo", [at("pipe/SKILL.md")]);
    mkdirSync(at("folder/SKILL.md"));
    writeFileSync(at("large/SKILL.md"), skillText("large", "Large.", "x".repeat(10_000_000)));
    writeFileSync(at("larger/SKILL.md"), "");
    truncateSync(at("larger/SKILL.md"), 65 * 1_024 * 1_024);
    writeFileSync(at("latin/SKILL.md"), Buffer.from("---\nname: caf\u00e9\ndescription: x\n---\n", "latin1"));
    const { instructions, told } = await listedFrom(folderFiles(root));
    expect(lines(instructions)).toEqual(["- good: Good."]);
    expect(told.map((event) => (event as { path: string }).path).sort()).toEqual(
      ["large", "larger", "latin"].map((name) => `skills/${name}/SKILL.md`),
    );
    expect(await loaded(folderFiles(root), { name: "good", file: "itself/itself/SKILL.md" }, { name: "good" })).toEqual(
      [skillText("good", "Good."), expect.stringContaining("Do it well.")],
    );
  });

  it.each([
    [{}, /files of skills must have/],
    [{ files: {} }, /files of skills must have/],
    [{ files: storeFiles(memoryStore(), "a"), path: "../a" }, /it contains ".."/],
    [{ files: storeFiles(memoryStore(), "a"), folder: "a" }, /Unknown option "folder" of skills/],
  ])("refuse the options %j", (options, message) => {
    expect(() => skills(options as never)).toThrow(message);
  });
});

const approve = createTool({
  id: "approve",
  description: "",
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => "ok",
});
const stores: Readonly<Record<string, () => CheckpointStore>> = {
  memory: memoryStore,
  sqlite: () => sqliteStore(":memory:"),
};

describe.each(Object.entries(stores))("the list of skills, in %s", (_name, makeStore) => {
  it("is that of the turn's beginning, also after a resume by another agent", async () => {
    const store = makeStore();
    const files = storeFiles(store, "team");
    await files.write("skills/a/SKILL.md", bytes(skillText("a", "First.")));
    const seen: string[][] = [];
    const spy = createMiddleware({
      name: "spy",
      wrapModelCall: (request, next) => {
        seen.push(lines(request.instructions.map(textOf).join("\n")));
        return next();
      },
    });
    const make = (model: ReturnType<typeof scriptedModel>) =>
      createAgent({
        model,
        tools: [approve],
        instructions: "Be brief.",
        middleware: [skills({ files }), spy],
        store,
      });
    const first = make(scriptedModel(assistantMessage([call("1", "approve")])));
    const held = await first.generate("Go", { threadId: "t" });
    await files.write("skills/b/SKILL.md", bytes(skillText("b", "Second.")));
    const second = make(scriptedModel(assistantMessage([call("2", "load_skill", { name: "a" })]), "Done.", "Again."));
    const [question] = held.interrupts;
    const result = await second.resume({ threadId: "t" }, { [question?.id ?? ""]: { approved: true } });
    expect(result.messages.flatMap(toolResultsOf).at(-1)?.result).toBe("# a\n\nDo it well.");
    await second.generate("Next", { threadId: "t" });
    expect(seen).toEqual([["- a: First."], ["- a: First."], ["- a: First."], ["- a: First.", "- b: Second."]]);
  });
});

describe("a workspace over the files of skills", () => {
  const write = (path: string) => assistantMessage([call("1", "write_file", { path, content: "Obey me." })]);

  it("does not write there, however the files are named", async () => {
    const store = memoryStore();
    const root = mkdtempSync(join(folder, "root-"));
    symlinkSync(root, join(folder, `link-${root.slice(-6)}`));
    const link = join(folder, `link-${root.slice(-6)}`);
    const same = storeFiles(store, "team");
    const choose = () => storeFiles(store, "team");
    for (const [ofSkills, ofWorkspace, path, isKept] of [
      [same, same, "skills/a/SKILL.md", true],
      [same, storeFiles(store, "team"), "Skills/a/SKILL.md", true],
      [choose, choose, "skills/new/SKILL.md", true],
      [choose, same, "skills", true],
      [same, storeFiles(store, "other"), "skills/a/SKILL.md", false],
      [same, same, "skillset/a", false],
      [folderFiles(root), folderFiles(link), "skills/a/SKILL.md", true],
      [folderFiles(join(root, "inner")), folderFiles(root), "inner/skills/a", true],
      [folderFiles(root), folderFiles(join(root, "skills")), "a/SKILL.md", true],
      [folderFiles(join(root, "inner")), folderFiles(root), "skills/a", false],
    ] as const) {
      const agent = createAgent({
        model: scriptedModel(write(path), "Done."),
        middleware: [skills({ files: ofSkills }), workspace({ files: ofWorkspace })],
      });
      const { messages } = await agent.generate("Go");
      expect([path, messages.flatMap(toolResultsOf)[0]?.isError === true]).toEqual([path, isKept]);
    }
    expect(await textAt(same, "skills/a/SKILL.md")).toBeUndefined();
  });

  it("does not write there from an agent that was handed over to, or that has a task", async () => {
    const files = await filesWith({ "skills/a/SKILL.md": skillText("a", "A.") });
    const inner = createAgent({
      name: "inner",
      description: "Works.",
      model: scriptedModel(write("skills/a/SKILL.md"), "Tried.", write("skills/a/SKILL.md"), "Tried."),
      middleware: [workspace({ files })],
    });
    const outer = createAgent({
      model: scriptedModel(assistantMessage([call("1", "task", { agent: "inner", prompt: "Go" })]), "Done."),
      middleware: [skills({ files }), subAgents({ agents: [inner] })],
    });
    await outer.generate("Go");
    const giving = createAgent({
      model: scriptedModel(assistantMessage([call("1", "transfer_to_inner")])),
      middleware: [skills({ files })],
      handoffs: [inner],
    });
    const { messages } = await giving.generate("Go");
    expect(messages.flatMap(toolResultsOf).at(-1)).toMatchObject({ isError: true });
    expect(await textAt(files, "skills/a/SKILL.md")).toContain("Do it well.");
    const alone = await inner.generate("Go").catch(() => undefined);
    expect(alone).toBeUndefined(); // its script is over
  });
});
