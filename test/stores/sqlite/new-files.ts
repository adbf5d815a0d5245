import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "kumiko/sqlite";
import { afterAll, afterEach } from "vitest";

/** Files for the tests of one test file: gone after them. */
export class NewFiles {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-sqlite-"));
  readonly #open: { close(): Promise<void> }[] = [];
  #count = 0;

  constructor() {
    afterEach(async () => {
      for (const opened of this.#open.splice(0)) await opened.close();
    });
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  next(): string {
    return join(this.folder, `${this.#count++}.db`);
  }

  /** Closes it after the test. */
  closing<Opened extends { close(): Promise<void> }>(opened: Opened): Opened {
    this.#open.push(opened);
    return opened;
  }

  store(...args: Parameters<typeof sqliteStore>): ReturnType<typeof sqliteStore> {
    return this.closing(sqliteStore(...args));
  }
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setTimeout(resolve, 1));
}
