// kumiko dev as a program: what it refuses, whom it serves, and how it lives with the code of the user.
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { failureIn } from "../../src/bin/app-process.js";
import { readDevOptions } from "../../src/bin/dev-options.js";
import { code, folder, root, soon, startDev } from "./start-dev.js";

const counter = (name: string): string =>
  code(
    `export const ${name} = new Chain().append((text) => text.length, { key: "count" }).compile({ name: "${name}" });`,
  );

it("names what is wrong before anything listens", () => {
  const path = folder({ "app.ts": counter("counter"), "trace.json": "{}", "prices.json": "[]", "runs.db": "" });
  const [file, trace, prices, store] = ["app.ts", "trace.json", "prices.json", "runs.db"].map((name) =>
    join(path, name),
  );
  for (const [args, message] of [
    [[], "Name the file"],
    [["nowhere.ts"], 'There is no file "nowhere.ts".'],
    [[file, file], "takes one file"],
    [[file, "--can", "all"], "--can must be look, answer or act"],
    [[file, "--host", "0.0.0.0"], "it needs a --token of at least 32 characters"],
    [[file, "--token", "x".repeat(19)], "--token must have at least 20 characters"],
    [[file, "--host", "0.0.0.0", "--token", "x".repeat(31)], "it needs a --token of at least 32 characters"],
    [[file, "--token", `${"x".repeat(32)}!`], "letters, digits, - and _."],
    [[file, "--port", "x"], "--port must be a number"],
    [[file, "--colour"], "--colour"],
    [[file, "--prices", prices], "must be JSON of this form"],
    [[file, "--prices", "none.json"], 'There is no file "none.json" (--prices).'],
    [
      [file, "--store", "mysql://me:pw@db/x"],
      "--store must be an SQLite file, or an address that begins with postgres://.",
    ],
    [["--store", "none.db"], 'There is no file "none.db" (--store).'],
    [["--store", store, "--can", "act"], "has no apps that could act"],
    [[trace, "--can", "answer"], "A trace can only be looked at"],
    [[trace, "--store", store], "--store does not fit"],
  ] as [string[], string][]) {
    expect(() => readDevOptions(args)).toThrow(message);
  }
  const token = "x".repeat(32);
  expect(readDevOptions([file ?? "", "--host", "0.0.0.0", "--token", token])).toMatchObject({ token });
  expect(readDevOptions([file ?? "", "--host", "::1"])).toMatchObject({ port: 4600, can: "act", isOpened: true });
  expect(readDevOptions(["--store", store ?? ""])).toMatchObject({ file: undefined, can: "look" });
  expect(readDevOptions(["--store", "postgres://me@db/x", "--can", "answer"])).toMatchObject({ can: "answer" });
});

it("finds where an error was thrown in the files of the user", () => {
  const told =
    "at a (/app/node_modules/x/a.js:1:2)\nTypeError: no\n    at node:internal\n    at run (/app/src/agent.ts:7:3)";
  expect(failureIn(told, "/app")).toEqual({ message: "TypeError: no", place: "/app/src/agent.ts:7" });
  expect(failureIn("killed", "/app")).toEqual({ message: undefined, place: undefined });
  const ours = `Error: it exports nothing\n    at appsIn (file://${join(root, "src/bin/dev-child.ts")}:7:3)`;
  expect(failureIn(ours, "/app").place).toBeUndefined();
  expect(failureIn(ours, root).place).toBeUndefined();
});

it("serves its page to all, its data with the token only, at both loopback addresses", async () => {
  const path = folder({ "app.ts": counter("counter") });
  const { address, token, ask, apps, output } = await startDev(join(path, "app.ts"), "--port", "0");
  await soon(apps).toEqual(["counter"]);
  const status = async (headers: Record<string, string>) => (await fetch(`${address}api/about`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: `Bearer ${"x".repeat(32)}` })).toBe(401);
  expect(await status({ authorization: `Bearer ${token}x` })).toBe(401);
  expect(await status({ cookie: `token=${token}` })).toBe(401);
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).not.toContain(token);
  const { port } = new URL(address);
  const from = (host: string, name: string) =>
    new Promise<number | undefined>((done, failed) => {
      const headers = { host: name, authorization: `Bearer ${token}` };
      request({ host, port, path: "/api/about", headers }, (answer) => done(answer.resume().statusCode))
        .on("error", failed)
        .end();
    });
  expect(await from("127.0.0.1", "evil.example")).toBe(403);
  expect(await from("127.0.0.1", "127.0.0.1.evil.example:4600")).toBe(403);
  expect(await from("127.0.0.1", `localhost:${port}`)).toBe(200);
  expect(await from("::1", `[::1]:${port}`).catch((error: { code: string }) => error.code)).toSatisfy(
    // a machine may have no IPv6
    (found) => found === 200 || found === "ECONNREFUSED" || found === "EADDRNOTAVAIL",
  );
  const json = { "content-type": "application/json" };
  const start = { method: "POST", body: JSON.stringify({ app: "counter", input: "hello", key: "1" }) };
  const sent = async (headers: Record<string, string>) =>
    (await ask("start", { ...start, headers: { ...json, ...headers } })).status;
  expect(await sent({ origin: "http://127.0.0.1:1" })).toBe(403);
  expect(await sent({ "content-type": "text/plain" })).toBe(415);
  expect(await sent({ origin: new URL(address).origin })).toBe(202);
  expect(
    (await ask("restart", { method: "POST", headers: { ...json, origin: "http://evil.example" }, body: "{}" })).status,
  ).toBe(403);
  expect(
    (await ask("spans", { method: "POST", headers: json, body: '{"spans":[1,{"id":7}],"chunks":["x"]}' })).status,
  ).toBe(204);
  expect(output()).not.toContain("Error");
});

it("loads a changed file again, and says what is broken, and where", async () => {
  const path = folder({ "app.ts": counter("counter") });
  const file = join(path, "app.ts");
  const { apps, about, address, ask, get } = await startDev(file, "--port", "0");
  await soon(apps).toEqual(["counter"]);
  writeFileSync(file, counter("renamed"));
  await soon(apps).toEqual(["renamed"]);
  writeFileSync(file, '\n\nthrow new TypeError("broken");');
  await soon(async () => (await about()).dev).toMatchObject({
    status: "ended",
    message: "TypeError: broken",
    place: expect.stringMatching(/app\.ts:\d+$/),
  });
  expect((await fetch(address)).status).toBe(200);
  const refused = await ask("runs");
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: "APP_ENDED", message: "TypeError: broken" } });
  writeFileSync(file, "export const nothing = 1;");
  await soon(async () => (await about()).dev?.message).toMatch(/exports no graph.* It exports nothing/);
  writeFileSync(file, counter("mended"));
  await soon(apps).toEqual(["mended"]);
  expect(await get("dev")).toEqual({ status: "running", hasChanged: false });
});
