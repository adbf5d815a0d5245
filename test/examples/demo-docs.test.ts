import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgenticModel, textOf } from "kumiko";
import { sqliteVectors } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { indexDocs } from "../../examples/demo/docs/docs-index.js";
import { type DocsSection, findSections } from "../../examples/demo/docs/find-sections.js";
import { wordsOfQuestion } from "../../examples/demo/docs/question-words.js";
import { runDocsDemo } from "../../examples/demo/docs/run-docs.js";
import { docsQuestions, measured } from "./docs-questions.js";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("npm run demo -- --docs", () => {
  const repository = join(folder, "repository");
  const page = join(repository, "docs", "tea.md");
  const write = (text: string) => writeFileSync(page, text);
  beforeAll(() => {
    mkdirSync(join(repository, "docs", "decisions"), { recursive: true });
    writeFileSync(join(repository, "docs", "decisions", "0001-tea.md"), "# Brewing tea\n\nNobody should see this.\n");
    writeFileSync(join(repository, "README.md"), "# Shop\n\nSells things made of wood.\n");
  });

  async function ask(question: string, model?: AgenticModel) {
    let output = "";
    const [found] = await runDocsDemo({
      ...{ repository, question, model },
      write: (text) => {
        output += text;
      },
      file: join(folder, "index", "docs.db"),
    });
    return { output, sections: found?.sections ?? [], isAnswered: found?.isAnswered };
  }

  it("prints the sections that fit, each with its place and two lines around the words", async () => {
    write(
      "# Tea\n\nIntro.\n\n## Green\n\nLeaves are steamed.\nIt is brewed at seventy degrees.\nNot hotter.\n\n`TEA_POT` is a code.\n",
    );
    const { output } = await ask("How do you brew green tea?");
    expect(output).toContain(
      [
        "Question  How do you brew green tea?",
        "No model answers here: these sections fit best.",
        "",
        "Tea › Green  docs/tea.md:8",
        "  It is brewed at seventy degrees.",
        "  Not hotter.",
        "",
      ].join("\n"),
    );
    expect(output).not.toContain("decisions");
    expect((await ask("wooden things")).sections).toEqual([]); // only in the README, which is a summary of the pages
  });

  it("finds code names as words and in parts", async () => {
    for (const question of ["TEA_POT", "What is teaPot?", "a code of a pot"])
      expect((await ask(question)).sections[0]?.title, question).toBe("Tea › Green");
    expect(wordsOfQuestion("What does CANNOT_MERGE mean for addSwitch()?")).toEqual(
      expect.arrayContaining(["cannot", "merge", "cannotmerge", "add", "switch", "addswitch"]),
    );
  });

  it("refuses when the words are not there, and forgets what the docs do not say", async () => {
    const before = await ask("Which hotels with green tea accept dogs?");
    expect(before.output).toContain("The docs do not seem to say. Nearest: Tea › Green (docs/tea.md:");
    expect(before.output).not.toContain("these sections fit best");
    expect((await ask("Who wrote Hamlet?")).output).toContain("The docs do not seem to say.\n");
    expect((await ask("What is it?")).isAnswered).toBe(false);
    write("# Tea\n\nThis page is about something else today.\n");
    expect((await ask("How hot is green brewed?")).isAnswered).toBe(false);
  });

  it("lets a model answer from the sections, with their numbers", async () => {
    write("# Tea\n\nGreen tea is brewed at seventy degrees.\n");
    const model = scriptedModel("At seventy degrees [1].");
    const { output } = await ask("How hot is green tea?", model);
    expect(output).toContain("● At seventy degrees [1].\n[1] Tea  docs/tea.md:3\n");
    expect(output).not.toContain("No model");
    const [system, prompt] = model.calls[0]?.messages.map(textOf) ?? [];
    expect(system).toContain("say that the docs do not tell");
    expect(prompt).toMatch(/^\[1\] Tea\n# Tea\n\nGreen tea is brewed[\s\S]*\n\nQuestion: How hot is green tea\?$/);
    const failing = scriptedModel(new Error("no credit"));
    await expect(ask("How hot is green tea?", failing)).rejects.toThrow("no credit");
  });
});

describe("the docs of this repository", () => {
  /** All of the section, of which a passage is a part: it is what a reader sees who follows the reference. */
  function textOfSection({ path, line }: DocsSection): string {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    const start = lines.findLastIndex((text, at) => at < line && /^#{1,3} /.test(text));
    const length = lines.slice(start + 1).findIndex((text) => /^#{1,3} /.test(text));
    return lines.slice(start, length < 0 ? undefined : start + 1 + length).join("\n");
  }

  it("answer the questions that they should, and refuse most others", async () => {
    const store = sqliteVectors(":memory:");
    await indexDocs(store, root);
    const score = { first: 0, firstThree: 0, refused: 0, wronglyRefused: 0 };
    for (const { question, answer } of docsQuestions) {
      const { sections, isAnswered } = await findSections(store, root, question);
      if (answer === undefined) score.refused += isAnswered ? 0 : 1;
      else {
        const right = sections.map((section) => answer.test(textOfSection(section)));
        score.first += right[0] ? 1 : 0;
        score.firstThree += right.includes(true) ? 1 : 0;
        score.wronglyRefused += isAnswered ? 0 : 1;
      }
    }
    const [steering] = (await findSections(store, root, "How do I say something to an agent while it works?")).sections;
    await store.close();
    expect(steering?.path).toBe("docs/guides/steering.md");
    // pages change, and with them the order of sections: a question or two less are no failure
    expect(score.first, JSON.stringify(score)).toBeGreaterThanOrEqual(measured.first - 2);
    expect(score.firstThree, JSON.stringify(score)).toBeGreaterThanOrEqual(measured.firstThree - 2);
    expect(score.refused, JSON.stringify(score)).toBeGreaterThanOrEqual(measured.refused - 1);
    expect(score.wronglyRefused, JSON.stringify(score)).toBeLessThanOrEqual(measured.wronglyRefused + 1);
  });
});
