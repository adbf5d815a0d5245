import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, project } from "./demo-folder.js";
import { demo, root } from "./run-demo-process.js";

describe("npm run demo", { timeout: 60_000 }, () => {
  it("answers a question in several parts about this repository", async () => {
    const question = "Which dependencies are largest, who depends on them, and what does the changelog say?";
    const { code, stdout, stderr } = await demo([".", question, "--trace"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("Model     local rules in place of a language model");
    expect(stdout).toContain(`Folder    ${root}`);
    expect(stdout).toContain("? npm_dependents");
    expect(stdout).toMatch(/● \d+ packages are installed/);
    expect(stdout).toContain("Who needs them:");
    expect(stdout).toContain("CHANGELOG.md says under");
    expect(stdout).toContain("✓ guide agent");
  });

  it("answers a question about another folder", async () => {
    const folder = await project();
    const { code, stdout } = await demo([folder, "Why is glue installed?"]);
    expect(code).toBe(0);
    expect(stdout).toContain("● glue is installed because this project needs left and left needs glue.");
  });

  it("answers a question from the docs of this repository, with sources", async () => {
    const { code, stdout } = await demo(["--docs", "Which", "operators", "does", "a", "filter", "have?"]);
    expect(code).toBe(0);
    expect(stdout).toContain("No model answers here: these sections fit best.");
    expect(stdout).toContain("The operators are `$eq`");
    expect(stdout).toMatch(/Stores and filters {2}docs\/guides\/documents-and-retrieval\.md:\d+/);
  });

  it("takes unquoted words as one question, and a lone question as one about this repository", async () => {
    const [words, alone] = await Promise.all([
      demo([await project(), "which", "scripts", "are", "there"]),
      demo(["Which version is this?"]),
    ]);
    expect(words.stdout).toContain("package.json has 2 scripts");
    expect(alone.stdout).toContain("● kumiko is at version");
  });

  it("says what is wrong with its arguments, and fails", async () => {
    const folder = await folderWith({ "a.txt": "a" });
    const [missing, file, option, question] = await Promise.all([
      demo([join(folder, "nothing")]),
      demo([join(folder, "a.txt")]),
      demo(["--frist"]),
      demo(["what is zod"]),
    ]);
    expect(missing).toEqual({ code: 1, stdout: "", stderr: `There is no folder "${join(folder, "nothing")}".\n` });
    expect(file).toEqual({
      code: 1,
      stdout: "",
      stderr: `"${join(folder, "a.txt")}" is a file, and not a folder.\n`,
    });
    expect(option).toEqual({
      code: 2,
      stdout: "",
      stderr: "Unknown option '--frist'. npm run demo -- --help lists the arguments.\n",
    });
    expect(question.code).toBe(1);
    expect(question.stderr).toContain('npm run demo -- . "what is zod"');
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
    "fails when the question names a file that may not be read",
    async () => {
      const folder = await folderWith({ "secret.txt": "a" });
      await chmod(join(folder, "secret.txt"), 0);
      const { code, stderr } = await demo([folder, 'What is in "secret.txt"?']);
      expect(code).toBe(1);
      expect(stderr).toBe('"secret.txt" cannot be read: permission denied.\n');
    },
  );

  it("explains itself", async () => {
    const { code, stdout } = await demo(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Usage: npm run demo -- [folder] [question]");
  });
});
