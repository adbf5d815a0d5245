import { RequestContext } from "kumiko";
import type { OpenApiAuth } from "kumiko/openapi";
import { describe, expect, it } from "vitest";
import { rejection } from "../node/calls.js";
import { oneOperation, sent, toolOf } from "./sent.js";

const securitySchemes = {
  key: { type: "apiKey", in: "header", name: "X-Api-Key" },
  queryKey: { type: "apiKey", in: "query", name: "api_key" },
  session: { type: "apiKey", in: "cookie", name: "sid" },
  basic: { type: "http", scheme: "basic" },
  bearer: { type: "http", scheme: "bearer" },
  digest: { type: "http", scheme: "Token" },
  login: { $ref: "#/components/securitySchemes/oauth" },
  oauth: { type: "oauth2", flows: {} },
};
const parameters = [
  { name: "api_key", in: "query", schema: { type: "string" } },
  { name: "X-Api-Key", in: "header", schema: { type: "string" } },
  { name: "sid", in: "cookie", schema: { type: "string" } },
  { name: "theme", in: "cookie", schema: { type: "string" } },
  { name: "Cookie", in: "header", schema: { type: "string" } },
  { name: "filter", in: "query", schema: { type: "object" } },
  { name: "more", in: "cookie", schema: { type: "object" } },
];
const secured = (security: object[] | undefined, more: object = {}) =>
  oneOperation({ parameters, ...(security && { security }) }, { components: { securitySchemes }, ...more });
const needs = (...names: string[]) => secured([Object.fromEntries(names.map((name) => [name, []]))]);

describe("auth gives an operation what it asks for", () => {
  it.each<[string, OpenApiAuth, object]>([
    ["key", { key: "k1" }, { "x-api-key": "k1" }],
    ["session", { session: "s1" }, { cookie: "sid=s1" }],
    ["basic", { basic: { username: "ada", password: "深" } }, { authorization: "Basic YWRhOua3sQ==" }],
    ["bearer", { bearer: "t1" }, { authorization: "Bearer t1" }],
    ["digest", { digest: "t1" }, { authorization: "Token t1" }],
    ["oauth", { oauth: "t1" }, { authorization: "Bearer t1" }],
    ["login", { login: "t1" }, { authorization: "Bearer t1" }],
  ])("%s", async (name, auth, expected) => {
    const { headers } = await sent(needs(name), {}, { auth });
    expect(Object.fromEntries(headers)).toMatchObject(expected);
  });

  it("in the query", async () => {
    expect((await sent(needs("queryKey"), {}, { auth: { queryKey: "a b" } })).url).toMatch(/\/a\?api_key=a%20b$/);
  });

  it("of alternatives the first for which there is all; of several together all", async () => {
    const auth = { key: "k1", bearer: "t1" };
    const first = await sent(
      secured([{ basic: [] }, { key: [], session: [] }, { bearer: [] }, { key: [] }]),
      {},
      { auth },
    );
    expect([first.headers.get("authorization"), first.headers.get("x-api-key")]).toEqual(["Bearer t1", null]);
    const both = await sent(secured([{ key: [], bearer: [] }]), {}, { auth });
    expect([both.headers.get("authorization"), both.headers.get("x-api-key")]).toEqual(["Bearer t1", "k1"]);
  });

  it("by the document where the operation says nothing, and nothing where it says that it needs nothing", async () => {
    const auth = { key: "k1" };
    const byDocument = await sent(secured(undefined, { security: [{ key: [] }] }), {}, { auth });
    expect(byDocument.headers.get("x-api-key")).toBe("k1");
    const open = await sent(secured([], { security: [{ key: [] }] }), {}, { auth });
    expect(open.headers.get("x-api-key")).toBeNull();
  });

  it("for each call, from its context", async () => {
    const auth: OpenApiAuth = { bearer: async ({ requestContext }) => String(requestContext.get("token")) };
    const requestContext = new RequestContext<Record<string, unknown>>([["token", "t2"]]);
    const { headers } = await sent(needs("bearer"), {}, { auth }, requestContext);
    expect(headers.get("authorization")).toBe("Bearer t2");
  });
});

describe("what identifies a call", () => {
  it("is never replaced by an argument of a model", async () => {
    const auth = { key: "k1", queryKey: "k2", session: "s1" };
    const args = { api_key: "m", "X-Api-Key": "m", sid: "m", theme: "dark mode" };
    const { url, headers } = await sent(needs("key", "queryKey", "session"), args, { auth });
    expect(url).toMatch(/\/a\?api_key=k2$/);
    expect([headers.get("x-api-key"), headers.get("cookie")]).toEqual(["k1", "sid=s1; theme=dark%20mode"]);
  });

  it("is not replaced by the keys of a record either", async () => {
    const auth = { queryKey: "k2", session: "s1" };
    const args = { filter: { api_key: "m", size: 1 }, more: { sid: "m", "a; sid": "m" } };
    const { url, headers } = await sent(needs("queryKey", "session"), args, { auth });
    expect(url).toMatch(/\/a\?size=1&api_key=k2$/);
    expect(headers.get("cookie")).toBe("sid=s1; a%3B%20sid=m");
  });

  it("can come from headers too, with cookies beside those of a model", async () => {
    const { headers } = await sent(
      needs("session"),
      { sid: "m", theme: "dark" },
      { headers: { cookie: "sid=h; a=b" } },
    );
    expect(headers.get("cookie")).toBe("sid=h; a=b; theme=dark");
  });

  it("names a scheme of the document", async () => {
    const error = await rejection(toolOf(needs("key"), { auth: { keys: "k1" } }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining('names "keys"') });
  });

  it("has the form that its scheme needs, and errors do not tell it", async () => {
    const wrong = await rejection(sent(needs("basic"), {}, { auth: { basic: "secret" } }));
    expect(String(wrong)).toContain("must be { username, password }");
    expect(String(wrong)).not.toContain("secret");
    const object = { username: "ada", password: "secret" };
    expect(String(await rejection(sent(needs("key"), {}, { auth: { key: object } })))).toContain("must be a string");
  });
});
