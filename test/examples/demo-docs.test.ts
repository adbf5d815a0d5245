import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runDocsDemo } from "../../examples/demo/docs/run-docs.js";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ask(repository: string, question?: string) {
  let output = "";
  const write = (text: string) => {
    output += text;
  };
  const answers = await runDocsDemo({
    repository,
    question,
    write,
    file: join(folder, "index", "docs.db"),
    width: 200,
  });
  return { answers, output };
}

describe("npm run demo -- --docs", { timeout: 60_000 }, () => {
  it("answers questions about this repository with sources that have the answer", async () => {
    const { answers, output } = await ask(root);
    expect(answers).toHaveLength(3);
    for (const { text, sources } of answers) {
      expect(text.length).toBeGreaterThan(20);
      expect(sources.length).toBeGreaterThan(1);
    }
    expect(output).toContain("The operators are `$eq`, `$ne`");
    expect(output).toMatch(/ {2}docs\/guides\/documents-and-retrieval\.md:\d+ {2}Documents and retrieval › Stores/);
  });

  it("forgets what the docs no longer say, and says when it finds nothing", async () => {
    const repository = join(folder, "repository");
    mkdirSync(join(repository, "docs"), { recursive: true });
    const file = join(repository, "docs", "tea.md");
    writeFileSync(file, "# Tea\n\nIntro.\n\n## Green\n\nGreen tea is brewed at seventy degrees.\n");
    const first = await ask(repository, "How hot is green tea brewed?");
    expect(first.answers).toEqual([
      {
        text: "Green tea is brewed at seventy degrees.",
        sources: expect.arrayContaining([{ path: file, line: 5, title: "Tea › Green" }]),
      },
    ]);
    writeFileSync(file, "# Tea\n\nThis page is about something else today.\n");
    const second = await ask(repository, "How hot is green brewed?");
    expect(second.answers).toEqual([{ text: "The docs say nothing about that.", sources: [] }]);
  });
});
