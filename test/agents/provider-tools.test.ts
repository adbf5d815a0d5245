import { createOpenAI } from "@ai-sdk/openai";
import { createTool } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { call, resultTexts } from "./agents.js";

const { tools: provided } = createOpenAI({ apiKey: "none" });
const look = createTool({ id: "look", description: "Looks.", execute: () => "seen" });

/** What the model is told of tools, and the result of a call of each. */
async function offered(tools: Parameters<typeof createAgent>[0]["tools"], ...called: string[]) {
  const model = scriptedModel(
    called.map((name, index) => call(`${index}`, name)),
    "Done.",
  );
  const { messages } = await createAgent({ model, tools }).generate("Look");
  const told = model.calls[0]?.options.tools ?? [];
  return { told: told.map(({ name, provider }) => [name, provider]), results: resultTexts(messages) };
}

const webSearch = { id: "openai.web_search", args: { searchContextSize: "low" } };

describe("a tool that the provider runs", () => {
  it("goes to the model, and not to the tools node", async () => {
    const { told, results } = await offered(
      { web: provided.webSearch({ searchContextSize: "low" }), look },
      "look",
      "web",
    );
    expect(told).toEqual([
      ["look", undefined],
      ["web", webSearch],
    ]);
    expect(results[0]).toBe("seen");
    expect(results[1]).toContain("web");
    expect(results[1]).toContain("look");
  });

  it("has a name of its own in a list, or that of its id", async () => {
    const other = { type: "provider-defined", id: "openai.web_search", name: "other", args: {} } as const;
    const { told } = await offered([look, provided.webSearch({ searchContextSize: "low" }), other as never], "look");
    expect(told.slice(1)).toEqual([
      ["web_search", webSearch],
      ["other", { id: "openai.web_search", args: {} }],
    ]);
  });

  it("needs no store, and may come from a function", async () => {
    const model = scriptedModel("Done.");
    await createAgent({ model, tools: () => ({ web: provided.webSearch({}) }) }).generate("Look");
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(["web"]);
  });

  it("runs here where it has a function to run", async () => {
    const shell = { type: "provider", id: "openai.local_shell", args: {}, execute: () => "ran here" };
    expect((await offered({ shell } as never, "shell")).results).toEqual(["ran here"]);
  });

  it("has a name of its own", () => {
    const search = createTool({ id: "web_search", description: "Searches.", execute: () => "" });
    const model = scriptedModel();
    for (const tools of [
      [search, provided.webSearch({})],
      [provided.webSearch({}), provided.webSearch({})],
    ]) {
      expect(() => createAgent({ model, tools })).toThrow("web_search");
    }
  });
});
