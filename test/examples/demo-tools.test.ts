import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { assistantMessage, functionToolCall, RequestContext, toolResultsOf } from "kumiko";
import { describe, expect, it } from "vitest";
import { Folder, folderKey } from "../../examples/demo/files/folder.js";
import { tools } from "../../examples/demo/tools.js";
import { folderWith, project } from "./demo-folder.js";

/** What the model would read. */
async function run(root: string, name: string, input: object): Promise<{ result: string; isError: boolean }> {
  const message = assistantMessage([functionToolCall({ callId: "1", name, arguments: JSON.stringify(input) })]);
  const requestContext = new RequestContext().set(folderKey, await Folder.open(root));
  const [result] = (await tools.invoke(message, { requestContext })).flatMap(toolResultsOf);
  return { result: result?.result ?? "", isError: result?.isError ?? false };
}

async function read(root: string, name: string, input: object): Promise<unknown> {
  const { result, isError } = await run(root, name, input);
  expect(isError, result).toBe(false);
  return JSON.parse(result);
}

describe("the folder", () => {
  it.each(["../x", "/etc/passwd", "elsewhere/passwd", "elsewhere"])("keeps tools out of %s", async (path) => {
    const root = await project();
    const { result, isError } = await run(root, "read_file", { path });
    expect(isError).toBe(true);
    expect(result).toContain(`"${path}" is outside of the folder`);
  });

  it("refuses to be a file, or nothing at all", async () => {
    const root = await folderWith({ "a.txt": "a" });
    await expect(Folder.open(join(root, "a.txt"))).rejects.toThrow("is a file, and not a folder");
    await expect(Folder.open(join(root, "no"))).rejects.toThrow(/There is no folder ".*no"/);
  });

  it("may have any name that starts with dots", async () => {
    const root = await folderWith({ "..odd/a.txt": "inside" });
    expect((await run(root, "read_file", { path: "..odd/a.txt" })).result).toBe("inside\n");
  });
});

describe("read_file", () => {
  it("gives lines, and says where the file goes on", async () => {
    const root = await folderWith({ "a.txt": "\uFEFFone\r\ntwo\nthree\nfour" });
    expect((await run(root, "read_file", { path: "a.txt" })).result).toBe("one\ntwo\nthree\nfour\n");
    expect((await run(root, "read_file", { path: "a.txt", from: 2, lines: 2 })).result).toBe(
      "two\nthree\n[the file goes on at line 4]\n",
    );
  });

  it("streams line by line", async () => {
    const root = await folderWith({ "a.txt": "one\ntwo\n" });
    const requestContext = new RequestContext().set(folderKey, await Folder.open(root));
    const message = assistantMessage([
      functionToolCall({ callId: "1", name: "read_file", arguments: '{"path":"a.txt"}' }),
    ]);
    const pieces: string[] = [];
    for await (const chunk of tools.stream(message, { requestContext })) {
      for (const result of chunk.flatMap(toolResultsOf)) pieces.push(result.result);
    }
    expect(pieces).toEqual(["one\n", "two\n"]);
  });

  it("reads an empty file, and cuts lines that are no text for people", async () => {
    const root = await folderWith({ "empty.txt": "", "long.txt": "x".repeat(300_000) });
    expect((await run(root, "read_file", { path: "empty.txt" })).result).toBe("");
    expect((await run(root, "read_file", { path: "long.txt" })).result).toBe(`${"x".repeat(2_000)}…\n`);
  });

  it("says why something cannot be read", async () => {
    const root = await folderWith({ "bin.dat": new Uint8Array([65, 0, 66]), "src/a.ts": "" });
    await symlink("loop", join(root, "loop"));
    expect(await run(root, "read_file", { path: "bin.dat" })).toEqual({
      result: '"bin.dat" is a binary file, which cannot be shown as text.',
      isError: true,
    });
    expect((await run(root, "read_file", { path: "src" })).result).toBe('"src" is a folder, and not a file.');
    expect((await run(root, "read_file", { path: "no.txt" })).result).toBe('There is no "no.txt".');
    expect((await run(root, "read_file", { path: "src/a.ts/b" })).result).toBe('There is no "src/a.ts/b".');
    expect((await run(root, "read_file", { path: "loop" })).result).toContain("leads in circles");
    expect((await run(root, "read_file", {})).result).toContain("path");
  });
});

describe("list_files", () => {
  it("lists what matches, without node_modules and without following links", async () => {
    const root = await project();
    expect(await read(root, "list_files", { pattern: "*.ts" })).toMatchObject({
      files: [{ path: "src/cart.ts" }, { path: "src/main.ts" }],
      matching: 2,
    });
    expect(await read(root, "list_files", {})).toMatchObject({ matching: 6 });
    expect(await read(root, "list_files", { pattern: "GRÜSSE.txt" })).toMatchObject({ matching: 0 });
    expect(await read(root, "list_files", { pattern: "GRÜßE" })).toMatchObject({ files: [{ path: "文書/grüße.txt" }] });
  });

  it("knows patterns with folders in them", async () => {
    const root = await folderWith({ "a.ts": "", "x/b.ts": "", "x/y/c.ts": "", "x/d+e.ts": "" });
    const paths = async (pattern: string) =>
      ((await read(root, "list_files", { pattern })) as { files: { path: string }[] }).files.map(({ path }) => path);
    expect(await paths("x/*.ts")).toEqual(["x/b.ts", "x/d+e.ts"]);
    expect(await paths("**/*.ts")).toEqual(["a.ts", "x/b.ts", "x/d+e.ts", "x/y/c.ts"]);
    expect(await paths("?+e.ts")).toEqual(["x/d+e.ts"]);
  });

  it("lists the largest first, and only as many as are wanted", async () => {
    const root = await folderWith({ "a.txt": "a", "b.txt": "bbb", "c.txt": "cc" });
    expect(await read(root, "list_files", { sortBy: "size", limit: 2 })).toMatchObject({
      files: [
        { path: "b.txt", bytes: 3 },
        { path: "c.txt", bytes: 2 },
      ],
      matching: 3,
      bytes: 6,
    });
  });
});

describe("folder_sizes, count_lines and search_text", () => {
  it("measure folders with everything in them", async () => {
    const root = await project();
    expect(await read(root, "folder_sizes", { limit: 1 })).toMatchObject({
      folders: [{ path: "node_modules" }],
      count: 3,
    });
    expect(await read(root, "folder_sizes", { under: "node_modules" })).toMatchObject({
      folders: [{ path: "node_modules/glue" }, { path: "node_modules/@scope" }, {}, {}],
    });
  });

  it("count lines by kind, and leave binary files out", async () => {
    const root = await folderWith({ "a.ts": "1\n2\n", "b.ts": "1", "c.md": "1\n", "d.bin": new Uint8Array([0, 1]) });
    expect(await read(root, "count_lines", {})).toEqual({
      files: 3,
      lines: 4,
      byKind: [
        { extension: ".ts", files: 2, lines: 3 },
        { extension: ".md", files: 1, lines: 1 },
      ],
      skipped: 1,
    });
  });

  it("find text, and heed capital letters only when there are some", async () => {
    const root = await project();
    expect(await read(root, "search_text", { text: "total(" })).toEqual({
      hits: [
        { path: "src/cart.ts", line: 2, text: "export function total(prices: number[]) {" },
        { path: "src/main.ts", line: 2, text: "console.log(total([]));" },
      ],
      lines: 2,
      files: 2,
      skipped: 0,
    });
    expect(await read(root, "search_text", { text: "todo" })).toMatchObject({ lines: 1 });
    expect(await read(root, "search_text", { text: "Todo" })).toMatchObject({ lines: 0 });
  });
});

describe("the tools for packages", () => {
  it("measure each package without the ones inside it", async () => {
    const root = await project();
    expect(await read(root, "largest_packages", { limit: 2 })).toMatchObject({
      packages: [
        { name: "glue", version: "5.0.0", files: 2 },
        { name: "@scope/tool", version: "1.0.0", files: 2 },
      ],
      installed: 5,
    });
    const { packages } = (await read(root, "largest_packages", { limit: 5 })) as { packages: object[] };
    expect(packages).toContainEqual(expect.objectContaining({ name: "right", listedAs: "devDependencies", files: 1 }));
    expect(packages).toContainEqual(
      expect.objectContaining({ name: "left", version: "1.2.0", listedAs: "dependencies" }),
    );
    const inner = packages.find((each) => "version" in each && each.version === "0.9.0");
    expect(inner).toMatchObject({ path: "node_modules/right/node_modules/left" });
    expect(inner).not.toHaveProperty("listedAs");
  });

  it("say who depends on a package", async () => {
    const root = await project();
    expect(await read(root, "package_dependents", { packages: ["left", "nothing"] })).toEqual({
      packages: [
        {
          name: "left",
          versions: ["1.2.0", "0.9.0"],
          dependents: [
            { name: "this project", range: "^1.0.0", kind: "dependencies" },
            { name: "right", range: "*", kind: "peerDependencies" },
          ],
        },
        { name: "nothing", versions: [], dependents: [] },
      ],
      installed: 5,
    });
    expect(await read(root, "package_dependents", { limit: 1 })).toMatchObject({ packages: [{ name: "left" }] });
  });

  it("find packages in the store of pnpm, once each", async () => {
    const root = await folderWith({
      "package.json": "{}",
      "node_modules/.pnpm/a@1.0.0/node_modules/a/package.json": '{"name":"a","version":"1.0.0"}',
      "node_modules/.pnpm/b@1.0.0/node_modules/b/package.json": '{"name":"b","dependencies":{"a":"1"}}',
    });
    await symlink(".pnpm/a@1.0.0/node_modules/a", join(root, "node_modules/a"));
    expect(await read(root, "package_dependents", { packages: ["a"] })).toMatchObject({
      packages: [{ versions: ["1.0.0"], dependents: [{ name: "b" }] }],
      installed: 2,
    });
  });

  it("read package.json files that are not what they should be", async () => {
    const root = await folderWith({
      "node_modules/a/package.json": '{"version": 7, "dependencies": ["b"]}',
      "node_modules/b/package.json": "{ no json",
    });
    await mkdir(join(root, "node_modules/c/package.json"), { recursive: true });
    expect(await read(root, "package_info", { name: "a" })).toMatchObject({ version: "", dependencies: [] });
    expect(await read(root, "largest_packages", {})).toMatchObject({ installed: 1 });
    expect((await run(root, "package_info", {})).result).toBe("The folder has no package.json that can be read.");
    expect((await run(root, "package_info", { name: "b" })).result).toBe('No package "b" is installed.');
  });
});

it("answers a call of a tool that is not there with those that are", async () => {
  const root = await folderWith({});
  const { result, isError } = await run(root, "npm_dependents", {});
  expect(isError).toBe(false);
  expect(result).toMatch(
    /^There is no tool "npm_dependents" here\. The nearest: package_dependents\. All tools: list_files,/,
  );
});
