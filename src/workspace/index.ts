/** Files and skills for agents: tools on a folder or a store, and instructions that are read when they are needed. @packageDocumentation */

export type { Files, FilesOption, StoredFile } from "./files.js";
export { folderFiles } from "./folder-files.js";
export { type SkillsOptions, type SkillsState, skills } from "./skills.js";
export { storeFiles } from "./store-files.js";
export { type WorkspaceOptions, workspace } from "./workspace.js";
