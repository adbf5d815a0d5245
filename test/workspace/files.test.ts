import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "kumiko";
import { sqliteStore } from "kumiko/sqlite";
import { type Files, folderFiles, storeFiles } from "kumiko/workspace";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOf } from "../agents/agents.js";
import { bytes, filesContract, listed, textAt } from "./files-contract.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(folder, "root-"));

describe("storeFiles", () => {
  describe("in memory", () => filesContract(() => storeFiles(memoryStore(), "team/a")));
  describe("in SQLite", () => filesContract(() => storeFiles(sqliteStore(":memory:"), "team/a")));

  it("keeps prefixes apart", async () => {
    const store = memoryStore();
    const [one, other, third] = ["a", "a/b", "a%2Fb"].map((prefix) => storeFiles(store, prefix));
    await one?.write("b/x", bytes("one"));
    await other?.write("x", bytes("other"));
    expect(await listed(one as Files)).toEqual(["b/x"]);
    expect(await listed(other as Files)).toEqual(["x"]);
    expect(await listed(third as Files)).toEqual([]);
    const keys: string[] = [];
    for await (const key of store.list("~files/")) keys.push(key);
    expect(keys).toEqual(["~files/a%2Fb/x", "~files/a/b/x"]);
  });

  it.each(["", 5, "\ud800", "n".repeat(257), undefined])("refuses the prefix %j", (prefix) => {
    expect(() => storeFiles(memoryStore(), prefix as string)).toThrow(/The prefix of storeFiles must be/);
  });

  it("refuses what is not a store, and paths that its keys have no room for", async () => {
    expect(() => storeFiles({} as never, "a")).toThrow(/takes a store/);
    const files = storeFiles(memoryStore(), "p".repeat(250));
    expect((await failureOf(files.write(`${"n".repeat(200)}/${"m".repeat(60)}`, bytes("x")))).message).toMatch(
      /more than 254 characters/,
    );
  });
});

/** Other systems cannot begin a path at an open folder. */
const platforms = ["linux", "darwin"] as const;

describe.each(platforms)("folderFiles, as on %s", (platform) => {
  const real = process.platform;
  beforeEach(() => void Object.defineProperty(process, "platform", { value: platform }));
  afterEach(() => void Object.defineProperty(process, "platform", { value: real }));

  filesContract(() => folderFiles(join(newFolder(), "made/at/the/first/write")));

  it("reads links that stay in the folder, lists them, and writes through none", async () => {
    const root = newFolder();
    const files = folderFiles(root);
    await files.write("a/b.txt", bytes("inside"));
    writeFileSync(join(folder, "secret"), "outside");
    symlinkSync("a/b.txt", join(root, "file"));
    symlinkSync("a", join(root, "folder"));
    symlinkSync("../a/../a/b.txt", join(root, "a/round"));
    symlinkSync(join(root, "a"), join(root, "absolute"));
    symlinkSync("loop", join(root, "loop"));
    symlinkSync("nothing", join(root, "broken"));
    symlinkSync(join(folder, "secret"), join(root, "out"));
    symlinkSync("..", join(root, "up"));
    symlinkSync("a/../../secret", join(root, "winding"));
    for (const path of ["file", "folder/b.txt", "a/round", "absolute/b.txt"]) {
      expect(await textAt(files, path)).toBe("inside");
      const error = await failureOf(files.write(path, bytes("x")));
      if (path !== "a/round") expect(error.message).toContain("links are not written to");
    }
    expect(await files.read("broken")).toBeUndefined();
    for (const path of ["out", "up/secret", "winding", "loop"]) {
      expect((await failureOf(files.read(path))).message).toMatch(/leads out of the folder|too many links/);
      expect((await failureOf(files.write(path, bytes("x")))).code).toBe("INVALID_KEY");
    }
    expect((await failureOf(files.write("up/new", bytes("x")))).code).toBe("INVALID_KEY");
    expect(readFileSync(join(folder, "secret"), "utf8")).toBe("outside");
    expect(existsSync(join(folder, "new"))).toBe(false);
    expect(await textAt(files, "a/b.txt")).toBe("inside");
    expect(await listed(files)).toEqual(["a/b.txt", "a/round", "file"]);
    expect((await failureOf(files.delete("up/secret"))).code).toBe("INVALID_KEY");
    expect(existsSync(join(folder, "secret"))).toBe(true);
  });

  it("refuses folders, pipes and files that are too large", async () => {
    const root = newFolder();
    const files = folderFiles(root);
    mkdirSync(join(root, "folder"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    writeFileSync(join(root, "large"), "");
    truncateSync(join(root, "large"), 65 * 1_024 * 1_024);
    expect((await failureOf(files.read("folder"))).message).toMatch(/it is a folder/);
    expect((await failureOf(files.write("folder", bytes("x")))).message).toMatch(/it is a folder/);
    expect((await failureOf(files.read("pipe"))).message).toMatch(/not a regular file/);
    expect((await failureOf(files.write("pipe", bytes("x")))).message).toMatch(/not a regular file/);
    expect((await failureOf(files.write("large/x", bytes("x")))).code).toBe("STORE_FAILED");
    expect(await failureOf(files.read("large"))).toMatchObject({
      code: "LOAD_FAILED",
      message: 'The file "large" cannot be read: it has 68157440 bytes, and the limit is 67108864.',
    });
    expect(await listed(files)).toEqual(["large"]);
  });

  it("keeps the mode of a file, and leaves nothing beside it", async () => {
    const root = newFolder();
    const files = folderFiles(root);
    await files.write("run.sh", bytes("one"));
    chmodSync(join(root, "run.sh"), 0o750);
    await files.write("run.sh", bytes("two"));
    await failureOf(files.write("run.sh", bytes("three"), { ifVersion: "old" }));
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o750);
    expect(readdirSync(root)).toEqual(["run.sh"]);
  });
});

describe("folderFiles, as on win32", () => {
  const real = process.platform;
  beforeEach(() => void Object.defineProperty(process, "platform", { value: "win32" }));
  afterEach(() => void Object.defineProperty(process, "platform", { value: real }));
  const names = [
    "con",
    "NUL.txt",
    "nul .txt",
    "com1",
    "LPT\u00b2",
    "conin$",
    "a.",
    "a ",
    "file:stream",
    "a?",
    "a\nb",
    "SKILLS~1",
  ];

  it.each(names.flatMap((name) => [name, `a/${name}/b`]))(
    "refuses %j, which Windows reads in another way",
    async (path) => {
      const files = folderFiles(newFolder());
      const refused = { code: "INVALID_KEY", message: expect.stringContaining("Windows") };
      for (const work of [() => files.read(path), () => files.write(path, bytes("x")), () => files.delete(path)])
        expect(await failureOf(work())).toMatchObject(refused);
      expect(await listed(files)).toEqual([]);
    },
  );

  it.each(["console", "nullable.txt", "a.b", ".env", "com10x", "a b"])("takes %j", async (path) => {
    const files = folderFiles(newFolder());
    await files.write(path, bytes("x"));
    expect(await textAt(files, path)).toBe("x");
  });
});

it.each(["", 5, undefined, "a\0b"])("refuses the root %j", (root) => {
  expect(() => folderFiles(root as string)).toThrow(/The root of folderFiles must be/);
});

it("says what the system says", async () => {
  const files = folderFiles("/proc/self");
  expect(await failureOf(files.write("x", bytes("x")))).toMatchObject({ code: "STORE_FAILED" });
});
