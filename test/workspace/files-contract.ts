import type { Files } from "kumiko/workspace";
import { expect, it } from "vitest";
import { failureOf } from "../agents/agents.js";

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export async function textAt(files: Files, path: string): Promise<string | undefined> {
  const file = await files.read(path);
  return file && new TextDecoder().decode(file.data);
}

export async function listed(files: Files, prefix?: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of files.list(prefix)) found.push(path);
  return found;
}

/** Paths that no files accept. */
export const badPaths: readonly (readonly [string, string])[] = [
  ["../x", '".."'],
  ["a/../../x", '".."'],
  ["a/..", '".."'],
  ["/etc/passwd", "absolute"],
  ["//server/share", "absolute"],
  ["C:/x", "absolute"],
  ["c:x", "absolute"],
  ["a\\b", "backslash"],
  ["..\\x", "backslash"],
  ["a\0b", "NUL"],
  ["\ud800", "surrogate"],
  ["", "names no file"],
  [".", "names no file"],
  ["n".repeat(256), "255 bytes"],
  ["é".repeat(128), "255 bytes"],
  ["a/".repeat(600), "1024 characters"],
  [".~kumiko-x.tmp", "reserved"],
];

/** What every implementation of files does. `make` gives empty ones. */
export function filesContract(make: () => Files | Promise<Files>): void {
  it("writes, reads, lists and deletes", async () => {
    const files = await make();
    expect(await files.read("a.txt")).toBeUndefined();
    expect(await listed(files)).toEqual([]);
    const version = await files.write("notes/a.txt", bytes("one"));
    expect(await files.read("notes/a.txt")).toEqual({ data: bytes("one"), version });
    expect(await files.read("notes/a.txt/b")).toBeUndefined();
    await files.write("empty", new Uint8Array());
    expect((await files.read("empty"))?.data).toEqual(new Uint8Array());
    await files.delete("notes/a.txt");
    await files.delete("notes/a.txt");
    await files.delete("nowhere/a.txt");
    expect(await listed(files)).toEqual(["empty"]);
  });

  it("keeps bytes as they are, and copies them", async () => {
    const files = await make();
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    const view = new Uint8Array(all.buffer, 10, 20);
    const writing = files.write("bytes", view);
    view.fill(7);
    await writing;
    const read = await files.read("bytes");
    expect(read?.data).toEqual(Uint8Array.from({ length: 20 }, (_, index) => index + 10));
    read?.data.fill(1);
    expect((await files.read("bytes"))?.data[0]).toBe(10);
  });

  it("lists in the order of code points, by a literal prefix", async () => {
    const files = await make();
    const paths = ["a-z", "a.txt", "a/b", "a/b.txt", "ab", "\uff5e", "\u{1f600}"];
    for (const path of [...paths].reverse()) {
      if (path !== "a/b") await files.write(path === "a/b.txt" ? path : path, bytes(path));
    }
    const expected = paths.filter((path) => path !== "a/b");
    expect(await listed(files)).toEqual(expected);
    expect(await listed(files, "a")).toEqual(["a-z", "a.txt", "a/b.txt", "ab"]);
    expect(await listed(files, "a/")).toEqual(["a/b.txt"]);
    expect(await listed(files, "a/b")).toEqual(["a/b.txt"]);
    expect(await listed(files, "a%")).toEqual([]);
    expect(await listed(files, "nowhere/")).toEqual([]);
    for (const prefix of ["../", "/etc", "a\\", "a\0"]) {
      expect((await failureOf(listed(files, prefix))).code).toBe("INVALID_KEY");
    }
  });

  it("takes a path in its other forms for the same", async () => {
    const files = await make();
    await files.write("./notes//a.txt", bytes("one"));
    expect(await textAt(files, "notes/./a.txt")).toBe("one");
    expect(await listed(files)).toEqual(["notes/a.txt"]);
  });

  it("tells names apart that differ in case or in their form", async () => {
    const files = await make();
    for (const path of ["Readme.md", "README.md", "caf\u00e9", "cafe\u0301"]) await files.write(path, bytes(path));
    for (const path of await listed(files)) expect(await textAt(files, path)).toBe(path);
    expect(await listed(files)).toHaveLength(4);
  });

  it.each(badPaths)("refuses the path %j", async (path, why) => {
    const files = await make();
    for (const attempt of [() => files.read(path), () => files.write(path, bytes("x")), () => files.delete(path)]) {
      const error = await failureOf(attempt());
      expect(error.code).toBe("INVALID_KEY");
      expect(error.message).toContain(why);
    }
  });

  it("replaces only the version that is expected", async () => {
    const files = await make();
    const first = await files.write("a", bytes("one"));
    const second = await files.write("a", bytes("two"), { ifVersion: first });
    expect(second).not.toBe(first);
    for (const [path, ifVersion] of [
      ["a", first],
      ["a", "made up"],
      ["nothing", second],
      ["no/folder/a", second],
    ] as const) {
      const error = await failureOf(files.write(path, bytes("three"), { ifVersion }));
      expect(error.code).toBe("CHECKPOINT_CONFLICT");
      expect(error.message).toContain(path);
    }
    expect(await textAt(files, "a")).toBe("two");
    await files.delete("a");
    expect((await failureOf(files.write("a", bytes("x"), { ifVersion: second }))).code).toBe("CHECKPOINT_CONFLICT");
    expect(await listed(files)).toEqual([]);
  });

  it("lets one of several writers of a version win", async () => {
    const files = await make();
    await files.write("n", bytes("0"));
    const add = async (): Promise<void> => {
      for (;;) {
        const file = await files.read("n");
        const next = Number(new TextDecoder().decode(file?.data)) + 1;
        try {
          await files.write("n", bytes(String(next)), { ifVersion: file?.version });
          return;
        } catch (error) {
          expect((error as { code?: string }).code).toBe("CHECKPOINT_CONFLICT");
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, add));
    expect(await textAt(files, "n")).toBe("8");
  });
}
