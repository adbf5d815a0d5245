import { type Fields, isFields } from "../../is.js";
import { descriptorsBroken } from "./errors.js";
import type { Protobuf, Root } from "./protobuf.js";

/** Makes types of the bytes of a `FileDescriptorSet`, with the comments that it has. */
export function loadDescriptors({ protobuf, descriptors }: Protobuf, bytes: Uint8Array): Root {
  try {
    const set = descriptors.FileDescriptorSet.decode(bytes);
    const files = listOf(Reflect.get(set, "file"));
    addBundledFiles(protobuf, files, set);
    const root = protobuf.Root.fromDescriptor(set as never, { keepCase: true });
    for (const file of files) addComments(root, file);
    return root;
  } catch (cause) {
    throw descriptorsBroken(cause);
  }
}

/** Files of protobuf itself may be left out. */
function addBundledFiles(protobuf: Protobuf["protobuf"], files: readonly Fields[], set: object): void {
  const there = new Set(files.map(({ name }) => name));
  const missing = new Set(
    files.flatMap(({ dependency }) => listOf<string>(dependency)).filter((name) => !there.has(name)),
  );
  const roots = [...missing].flatMap((name) => {
    const bundled = protobuf.common.get(name);
    return bundled === null ? [] : [protobuf.Root.fromJSON(bundled)];
  });
  const added = roots.flatMap((root) => listOf(Reflect.get(root.toDescriptor("proto3"), "file")));
  Reflect.set(set, "file", [...added, ...files]);
}

// the numbers of fields in descriptors, of which the places of comments are made
const inFile = { messages: 4, enums: 5, services: 6 };
const inMessage = { fields: 2, messages: 3, enums: 4 };
const listed = 2;

/** `protobufjs` reads descriptors without what the source files say. */
function addComments(root: Root, file: Fields): void {
  const { location } = isFields(file.sourceCodeInfo) ? file.sourceCodeInfo : {};
  const packageName = typeof file.package === "string" ? file.package : "";
  for (const { path, leadingComments, trailingComments } of listOf(location)) {
    const comment = commentText(leadingComments) ?? commentText(trailingComments);
    if (comment !== undefined) addComment(root, file, packageName, listOf<number>(path), comment);
  }
}

function addComment(root: Root, file: Fields, scope: string, path: readonly number[], comment: string): void {
  const [kind, index, ...rest] = path;
  if (kind === inFile.messages) commentMessage(root, itemAt(file.messageType, index), scope, rest, comment);
  else if (kind === inFile.enums) commentEnum(root, itemAt(file.enumType, index), scope, rest, comment);
  else if (kind === inFile.services) commentListed(root, itemAt(file.service, index), "method", scope, rest, comment);
}

function commentMessage(root: Root, message: Fields, scope: string, path: readonly number[], comment: string): void {
  const name = within(scope, message.name);
  const [kind, index, ...rest] = path;
  if (kind === inMessage.messages) commentMessage(root, itemAt(message.nestedType, index), name, rest, comment);
  else if (kind === inMessage.enums) commentEnum(root, itemAt(message.enumType, index), name, rest, comment);
  else commentListed(root, message, "field", scope, path, comment);
}

/** Of something with a list inside: fields of a message, methods of a service. */
function commentListed(
  root: Root,
  holder: Fields,
  list: "field" | "method",
  scope: string,
  path: readonly number[],
  comment: string,
): void {
  const name = within(scope, holder.name);
  const [kind, index, ...rest] = path;
  if (path.length === 0) setComment(root, name, comment);
  else if (kind === listed && rest.length === 0)
    setComment(root, within(name, itemAt(holder[list], index).name), comment);
}

function commentEnum(root: Root, type: Fields, scope: string, path: readonly number[], comment: string): void {
  const name = within(scope, type.name);
  const [kind, index, ...rest] = path;
  if (path.length === 0) setComment(root, name, comment);
  const found = root.lookup(name.split("."));
  if (kind !== listed || rest.length > 0 || found === null || !("values" in found)) return;
  Reflect.set(Reflect.get(found, "comments"), String(itemAt(type.value, index).name), comment);
}

function setComment(root: Root, name: string, comment: string): void {
  const found = root.lookup(name.split("."));
  if (found !== null) found.comment = comment;
}

const within = (scope: string, name: unknown): string => (scope === "" ? String(name) : `${scope}.${name}`);

function itemAt(items: unknown, index: number | undefined): Fields {
  return listOf(items)[index ?? -1] ?? {};
}

function listOf<Item = Fields>(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

function commentText(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const lines = text.split("\n").map((line) => line.trim());
  const joined = lines.join("\n").trim();
  return joined === "" ? undefined : joined;
}
