/**
 * A process that changes a folder while others use it: `node race-child.mjs <what> <folder> <other folder>`. It says "ready" first.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { folderFiles } from "kumiko/workspace";

const [what = "", root = "", other = ""] = process.argv.slice(2);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Puts a link that leads out in the place of a folder, and the folder back. */
function swap(): void {
  const [folder, aside] = [join(root, "a"), join(root, "aside")];
  for (;;) {
    renameSync(folder, aside);
    try {
      symlinkSync(other, folder);
      rmSync(folder);
      renameSync(aside, folder);
    } catch {
      // a write has made it again
      rmSync(aside, { recursive: true });
    }
  }
}

/** The same for the file itself. */
function swapFile(): void {
  const [file, aside] = [join(root, "a/file"), join(root, "a/aside")];
  mkdirSync(join(root, "a"), { recursive: true });
  for (;;) {
    try {
      renameSync(file, aside);
      symlinkSync(join(other, "file"), file);
      rmSync(file);
      renameSync(aside, file);
    } catch {
      // written meanwhile
    }
  }
}

/** Adds one to a number in a file, again and again. */
async function count(): Promise<void> {
  const files = folderFiles(root);
  for (let done = 0; done < 50; ) {
    const file = await files.read("n");
    const next = Number(new TextDecoder().decode(file?.data)) + 1;
    try {
      await files.write("n", bytes(String(next)), { ifVersion: file?.version });
      done += 1;
    } catch (error) {
      if ((error as { code?: string }).code !== "CHECKPOINT_CONFLICT") throw error;
    }
  }
}

/** Writes whole files, until it is killed. */
async function write(): Promise<void> {
  const files = folderFiles(root);
  for (let index = 0; ; index++) await files.write("file", bytes(`${String(index % 10)}`.repeat(100_000)));
}

process.stdout.write("ready\n");
if (what === "swap") swap();
if (what === "swap-file") swapFile();
if (what === "count") await count();
if (what === "write") await write();
