import { messageOf } from "../../errors.js";
import { fileNotFound, importNotFound, protoBroken, protoIncomplete } from "./errors.js";
import type { Protobuf, Root } from "./protobuf.js";

/** Where proto files are. */
export interface ProtoFiles {
  /** Paths, or keys of `texts`. */
  readonly names: readonly string[];
  /** Texts by file name, in place of files. */
  readonly texts: ReadonlyMap<string, string>;
  readonly includeDirs: readonly string[];
}

interface SourceText {
  /** Where it was found. */
  readonly path: string;
  readonly text: string;
}

/** Reads proto files, and all that they import. Comments are kept: they describe tools and fields. */
export async function loadProtoFiles(kit: Protobuf, files: ProtoFiles): Promise<Root> {
  const loader = new Loader(kit, files, await reader(files));
  for (const name of files.names) await loader.load(name);
  try {
    return loader.root.resolveAll() && loader.root;
  } catch (cause) {
    throw protoIncomplete(`what ${quoted(files.names)} ${files.names.length === 1 ? "says" : "say"}`, cause);
  }
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(" and ");

/** Gives the text of a file. Fails if there is none. */
type ReadText = (path: string) => Promise<string>;

async function reader({ texts }: ProtoFiles): Promise<ReadText> {
  if (texts.size > 0) {
    return async (path) => {
      const text = texts.get(path);
      if (text === undefined) throw new Error(`proto has only ${quoted([...texts.keys()])}.`);
      return text;
    };
  }
  const { readFile } = await import("node:fs/promises");
  return (path) => readFile(path, "utf8");
}

class Loader {
  readonly root: Root;
  readonly #kit: Protobuf;
  readonly #readText: ReadText;
  /** Folders that imports are looked for in; of a record, its names are whole. */
  readonly #folders: readonly string[];
  readonly #loaded = new Set<string>();

  constructor(kit: Protobuf, { names, texts, includeDirs }: ProtoFiles, readText: ReadText) {
    this.#kit = kit;
    this.root = new kit.protobuf.Root();
    this.#readText = readText;
    const own = includeDirs.length > 0 ? [] : names.map((name) => name.replace(/[^/\\]*$/, ""));
    this.#folders = texts.size > 0 ? [""] : [...new Set([...includeDirs.map(asFolder), ...own])];
  }

  async load(name: string): Promise<void> {
    let source: SourceText;
    try {
      source = await this.#read(name);
    } catch (cause) {
      throw fileNotFound(name, cause);
    }
    await this.#parse(source);
  }

  /** Also by a name in one of the folders, as `protoc` does. */
  async #read(name: string): Promise<SourceText> {
    try {
      return { path: name, text: await this.#readText(name) };
    } catch (error) {
      const found = await this.#find(name);
      if (found === undefined) throw error;
      return found;
    }
  }

  async #find(name: string): Promise<SourceText | undefined> {
    for (const folder of this.#folders) {
      const path = `${folder}${name}`;
      const text = await this.#readText(path).catch(nothing);
      if (text !== undefined) return { path, text };
    }
    return undefined;
  }

  async #parse({ path, text }: SourceText): Promise<void> {
    if (this.#loaded.has(path)) return;
    this.#loaded.add(path);
    for (const name of parsedImports(this.#kit, this.root, path, text)) await this.#import(name, path);
  }

  async #import(name: string, from: string): Promise<void> {
    if (this.#loaded.has(name)) return;
    const bundled = bundledFile(this.#kit, name);
    const found = bundled === undefined ? await this.#find(name) : undefined;
    if (found !== undefined) return this.#parse(found);
    this.#loaded.add(name);
    if (bundled !== undefined) this.root.addJSON(bundled);
    else if (!onlyOptions.test(name))
      throw importNotFound(
        name,
        from,
        this.#folders.map((folder) => folder || "."),
      );
  }
}

function parsedImports({ protobuf }: Protobuf, root: Root, path: string, text: string): readonly string[] {
  try {
    const options = { keepCase: true, alternateCommentMode: true, preferTrailingComment: false };
    const { imports = [], weakImports = [] } = protobuf.parse(text, root, options);
    return [...imports, ...weakImports];
  } catch (cause) {
    throw protoBroken(path, new Error(messageOf(cause).replace(/\.?$/, "."), { cause }));
  }
}

/** Files of protobuf itself, which need not be there. */
function bundledFile({ protobuf, descriptors }: Protobuf, name: string) {
  if (name === "google/protobuf/descriptor.proto") return descriptors.FileDescriptorSet.root.toJSON().nested;
  return protobuf.common.get(name)?.nested;
}

/** Files that declare nothing but options: where they are missing, nothing is. */
const onlyOptions =
  /^(google\/api\/(annotations|client|field_behavior|field_info|resource|routing|visibility|launch_stage)|google\/longrunning\/options|(buf\/)?validate\/.*|protoc-gen-openapiv2\/options\/.*|gogoproto\/gogo|tagger\/.*)\.proto$/;

const asFolder = (path: string): string => (path === "" || /[/\\]$/.test(path) ? path : `${path}/`);

function nothing(): undefined {}
