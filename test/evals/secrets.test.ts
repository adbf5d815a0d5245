import { createTool } from "kumiko";
import { createAgent } from "kumiko/agents";
import { type CassetteOptions, cassette } from "kumiko/evals";
import { scriptedModel } from "kumiko/testing";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { callOf, contentsOf, newFolder, untouchable } from "./temporary-folder.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** An agent that calls a tool with a secret and reads one from it, live or from its tape. */
function agentOn(folder: string, options: CassetteOptions, secret: string, result: () => unknown) {
  const tape = cassette(folder, options);
  const model = scriptedModel(callOf("login", { url: `https://a.example?${secret}`, times: 2 }), `It was ${secret}`);
  const login = createTool({
    id: "login",
    description: `Logs in with ${secret}`,
    inputSchema: z.object({ url: z.string(), times: z.number() }),
    execute: async () => result(),
  });
  return createAgent({
    instructions: `The secret is ${secret}`,
    model: tape.model(options.mode === "replay" ? untouchable() : model),
    tools: tape.tools([login]),
  });
}

test.each([
  ["of a variable, with quotes and lines", 'abcdefghij"klm\nnop', {}],
  ["of a well-known form", "sk-proj-abcdefghijklmnop", {}],
  ["that a greedy pattern matches", "token=a-secret-of-mine", { secrets: [/token=.*/] }],
  ["that is a key without its end", "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7", {}],
])("a secret %s is nowhere on the tape, and the run replays", async (_name, secret, options) => {
  vi.stubEnv("MY_TOKEN", 'abcdefghij"klm\nnop');
  const folder = newFolder();
  // keys out of order, and JSON in a text: forms that a tape keeps as text
  const value = () => ({ z: secret, inner: JSON.stringify({ deep: JSON.stringify({ secret }) }), a: 1 });
  const live = await agentOn(folder, { ...options, mode: "auto" }, secret, value).generate(`Use ${secret}`);
  expect(live.text).toBe(`It was ${secret}`);
  const written = contentsOf(folder);
  for (let form = secret; form.length < 200; form = JSON.stringify(form).slice(1, -1)) {
    expect(written).not.toContain(form);
    if (form === JSON.stringify(form).slice(1, -1)) break;
  }
  expect(written).not.toContain("MIIEowIBAAKCAQEA7");
  const replayed = agentOn(folder, { ...options, mode: "replay" }, secret, () => {
    throw new Error("The tool ran.");
  });
  expect((await replayed.generate(`Use ${secret}`)).text).toMatch(/^It was \[(?:MY_TOKEN|secret)\]$/);
});

test("headers with credentials are masked, whatever they look like, and URLs with passwords", async () => {
  const folder = newFolder();
  const secret = "hunter2hunter2";
  const headers = {
    Authorization: secret,
    "x-api-key": secret,
    Cookie: `sid=${secret}`,
    accept: "application/json",
    other: "Basic aHVudGVyMmh1bnRlcjI=",
  };
  const get = async (url: string, options: object) => ({ url, options, cookie: "oatmeal" });
  await cassette(folder, { mode: "auto" }).wrap("get", get)(`https://me:${secret}@a.example?api_key=${secret}&page=2`, {
    headers,
    body: JSON.stringify({ headers }),
  });
  const written = contentsOf(folder);
  expect(written).not.toContain(secret);
  expect(written).not.toContain("aHVudGVyMmh1bnRlcjI=");
  expect(written).toContain("application/json");
  expect(written).toContain("oatmeal");
  expect(written).toContain("page=2");
});

test("another key is the same request", async () => {
  const folder = newFolder();
  for (const [mode, key] of [
    ["auto", "first-key-of-mine"],
    ["replay", "second-key-of-mine"],
  ] as const) {
    vi.stubEnv("MY_API_KEY", key);
    const model = mode === "auto" ? scriptedModel("Hello!") : untouchable();
    const agent = createAgent({ instructions: `Key ${key}`, model: cassette(folder, { mode }).model(model) });
    expect((await agent.generate(`I am ${key}`)).text).toBe("Hello!");
  }
});
