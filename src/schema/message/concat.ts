import { cannotConcatMessages, invalidMessage } from "../errors.js";
import type { AgenticMessage, AgenticRole } from "./agentic-message.js";
import { concatBlocks } from "./concat-block.js";
import { concatExtras } from "./concat-extra.js";
import { concatResponseMetas } from "./concat-response-meta.js";
import type { ContentBlock } from "./content-block.js";
import { withoutUndefined } from "../without-undefined.js";

/**
 * Joins the chunks of one message. Blocks with the same `streamingMeta.index` are pieces of one block; they stand in the
 * order of their indices, and the result has no `streamingMeta`. Blocks without one are appended. Never changes a chunk.
 *
 * @example
 * const message = concatMessages([
 *   assistantMessage(assistantGenText({ text: "Hel", streamingMeta: { index: 0 } })),
 *   assistantMessage(assistantGenText({ text: "lo", streamingMeta: { index: 0 } })),
 * ]);
 */
export function concatMessages(chunks: readonly AgenticMessage[]): AgenticMessage {
  const [first] = chunks;
  if (first === undefined && chunks.length === 0) {
    throw cannotConcatMessages("there is no chunk. A message needs at least one.");
  }
  const pieces = collect(chunks);
  if (first !== undefined && chunks.length === 1 && pieces.plain.length === first.contentBlocks.length) return first;
  return withoutUndefined<AgenticMessage>({
    role: pieces.role,
    contentBlocks: pieces.groups.size === 0 ? pieces.plain : concatGroups(pieces.groups),
    responseMeta: concatResponseMetas(present(chunks.map((chunk) => chunk.responseMeta))),
    extra: concatExtras(present(chunks.map((chunk) => chunk.extra)), "extra of the message"),
  });
}

type Group = [ContentBlock, ...ContentBlock[]];

/** What the chunks hold: blocks without a streaming index, or groups of blocks with the same one. */
interface Pieces {
  readonly role: AgenticRole;
  readonly plain: ContentBlock[];
  readonly groups: Map<number, Group>;
}

function collect(chunks: readonly AgenticMessage[]): Pieces {
  const plain: ContentBlock[] = [];
  const groups = new Map<number, Group>();
  let role: AgenticRole | undefined;
  for (const [position, chunk] of chunks.entries()) {
    requireMessage(chunk, position);
    role = agreeOnRole(role, chunk.role, position);
    for (const block of chunk.contentBlocks) {
      if (block === undefined || block === null) continue;
      if (block.streamingMeta === undefined || block.streamingMeta === null) {
        if (groups.size > 0) throw mixedBlocks("found non-streaming block after streaming blocks", block, position);
        plain.push(block);
      } else {
        if (plain.length > 0) throw mixedBlocks("found streaming block after non-streaming blocks", block, position);
        addToGroup(groups, block, block.streamingMeta.index);
      }
    }
  }
  if (role === undefined) throw invalidMessage("No chunk of the message names its role.");
  return { role, plain, groups };
}

function requireMessage(chunk: AgenticMessage | null | undefined, position: number): asserts chunk is AgenticMessage {
  if (chunk === undefined || chunk === null) throw invalidMessage(`The message at index ${position} is ${chunk}.`);
  if (Array.isArray(chunk.contentBlocks)) return;
  throw invalidMessage(`The message at index ${position} has no list of contentBlocks.`);
}

/** A chunk may leave its role out. */
function agreeOnRole(role: AgenticRole | undefined, other: AgenticRole, position: number): AgenticRole | undefined {
  if (role === other || !other) return role;
  if (role === undefined) return other;
  throw cannotConcatMessages(
    `different roles: "${role}", and "${other}" at index ${position}. Join one message at a time.`,
  );
}

function addToGroup(groups: Map<number, Group>, block: ContentBlock, index: number): void {
  const group = groups.get(index);
  if (group === undefined) {
    if (!Number.isInteger(index)) throw invalidMessage(`The index ${index} of a ${block.type} block is no integer.`);
    groups.set(index, [block]);
    return;
  }
  if (group[0].type !== block.type) {
    throw cannotConcatMessages(
      `content block type mismatch at index ${index}: "${group[0].type}" and then "${block.type}". Give every block an index of its own.`,
    );
  }
  group.push(block);
}

function concatGroups(groups: ReadonlyMap<number, Group>): ContentBlock[] {
  return [...groups].sort(([left], [right]) => left - right).map(([index, group]) => concatBlocks(group, index));
}

function mixedBlocks(what: string, block: ContentBlock, position: number): Error {
  return cannotConcatMessages(`${what}: the ${block.type} block of chunk ${position}. Give all an index, or none.`);
}

function present<T>(values: readonly (T | null | undefined)[]): T[] {
  return values.filter((value) => value !== undefined && value !== null);
}
