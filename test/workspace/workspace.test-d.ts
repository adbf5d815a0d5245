import { type CheckpointStore, memoryStore } from "kumiko";
import { createAgent, type Middleware } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { type Files, folderFiles, type StoredFile, skills, storeFiles, workspace } from "kumiko/workspace";
import { expectTypeOf, it } from "vitest";

declare const store: CheckpointStore;
declare const files: Files;

it("files are of a folder or a store", () => {
  expectTypeOf(folderFiles("./files")).toExtend<Files>();
  expectTypeOf(storeFiles(memoryStore(), "notes")).toExtend<Files>();
  expectTypeOf(files.read("a.txt")).resolves.toEqualTypeOf<StoredFile | undefined>();
  expectTypeOf(files.write("a.txt", new Uint8Array(), { ifVersion: "1" })).resolves.toBeString();
  // @ts-expect-error a prefix is missing
  storeFiles(store);
  // @ts-expect-error a version is a string
  void files.write("a.txt", new Uint8Array(), { ifVersion: 1 });
});

it("an agent works on files, or on those of its user", () => {
  expectTypeOf(workspace({ files, readOnly: ["docs/"], resultLimit: false })).toExtend<Middleware>();
  expectTypeOf(skills({ files, path: "skills" })).toHaveProperty("name");
  createAgent({
    model: scriptedModel("a"),
    store,
    middleware: [
      workspace({ files: ({ userId = "nobody" }) => storeFiles(store, userId), readOnly: true }),
      skills({ files }),
    ],
  });
  // @ts-expect-error files are missing
  workspace({});
  // @ts-expect-error a function is given the agent, and returns files at once
  workspace({ files: async () => files });
  // @ts-expect-error a limit is a number, or none at all
  workspace({ files, resultLimit: true });
  // @ts-expect-error skills are never written
  skills({ files, readOnly: true });
});
