import { cannotConcatMessages, invalidMessage } from "../errors.js";
import { withoutUndefined } from "../without-undefined.js";
import type { AgenticMessage, AgenticRole, ResponseMeta } from "./agentic-message.js";
import { concatBlocks } from "./concat-block.js";
import { concatExtras } from "./concat-extra.js";
import { concatResponseMetas } from "./concat-response-meta.js";
import type { ContentBlock } from "./content-block.js";
import { messageProblem } from "./message-problem.js";

/**
 * Joins the chunks of one message. Blocks with the same `streamingMeta.index` are pieces of one block; the joined blocks are sorted
 * by index and have no `streamingMeta`. Blocks without `streamingMeta` are appended. Everything before the last chunk with
 * `restart` is dropped. The first id counts. Chunks are never modified.
 *
 * @example
 * const message = concatMessages([
 *   assistantMessage(assistantGenText({ text: "Hel", streamingMeta: { index: 0 } })),
 *   assistantMessage(assistantGenText({ text: "lo", streamingMeta: { index: 0 } })),
 * ]);
 */
export function concatMessages(chunks: readonly AgenticMessage[]): AgenticMessage {
  const { id, role, plain, groups, metas, extras } = collect(sinceRestart(chunks));
  const [first] = chunks;
  const isLone = first !== undefined && chunks.length === 1 && first.restart === undefined;
  if (isLone && plain.length === first.contentBlocks.length) return first;
  return withoutUndefined<AgenticMessage>({
    id,
    role,
    contentBlocks: groups.size === 0 ? plain : concatGroups(groups),
    responseMeta: concatResponseMetas(metas),
    extra: concatExtras(extras, "extra of the message"),
  });
}

function sinceRestart(chunks: readonly AgenticMessage[]): readonly AgenticMessage[] {
  const position = chunks.findLastIndex((chunk) => chunk?.restart === true);
  return position > 0 ? chunks.slice(position) : chunks;
}

type Group = [ContentBlock, ...ContentBlock[]];

/** The content of all chunks. Blocks without a streaming index are in `plain`, others in the group of their index. */
interface Pieces {
  readonly id: string | undefined;
  readonly role: AgenticRole;
  readonly plain: ContentBlock[];
  readonly groups: Map<number, Group>;
  readonly metas: ResponseMeta[];
  readonly extras: object[];
}

function collect(chunks: readonly AgenticMessage[]): Pieces {
  if (chunks.length === 0) throw cannotConcatMessages("there is no chunk. A message needs at least one.");
  const pieces: Omit<Pieces, "id" | "role"> = { plain: [], groups: new Map(), metas: [], extras: [] };
  let id: string | undefined;
  let role: AgenticRole | undefined;
  for (let position = 0; position < chunks.length; position += 1) {
    const chunk = requireMessage(chunks[position], position);
    id ??= chunk.id;
    role = agreeOnRole(role, chunk.role, position);
    for (const block of chunk.contentBlocks) {
      if (block !== undefined && block !== null) collectBlock(pieces, block, position);
    }
    if (chunk.responseMeta) pieces.metas.push(chunk.responseMeta);
    if (chunk.extra) pieces.extras.push(chunk.extra);
  }
  if (role === undefined) throw invalidMessage("No chunk of the message names its role.");
  return { id, role, ...pieces };
}

function collectBlock(
  { plain, groups }: Pick<Pieces, "plain" | "groups">,
  block: ContentBlock,
  position: number,
): void {
  const meta = block.streamingMeta;
  if (meta === undefined || meta === null) {
    if (groups.size > 0) throw mixedBlocks("found non-streaming block after streaming blocks", block, position);
    plain.push(block);
  } else {
    if (plain.length > 0) throw mixedBlocks("found streaming block after non-streaming blocks", block, position);
    addToGroup(groups, block, meta.index, meta.restart === true);
  }
}

function requireMessage(chunk: AgenticMessage | null | undefined, position: number): AgenticMessage {
  if (Array.isArray(chunk?.contentBlocks)) return chunk as AgenticMessage;
  throw invalidMessage(`The message at index ${position} ${messageProblem(chunk)}`);
}

/** Checks that all chunks have the same role. A chunk may leave it out. */
function agreeOnRole(role: AgenticRole | undefined, other: AgenticRole, position: number): AgenticRole | undefined {
  if (role === other || !other) return role;
  if (role === undefined) return other;
  throw cannotConcatMessages(
    `different roles: "${role}", and "${other}" at index ${position}. Join one message at a time.`,
  );
}

function addToGroup(groups: Map<number, Group>, block: ContentBlock, index: number, restarts: boolean): void {
  const group = groups.get(index);
  if (group === undefined || restarts) {
    if (!Number.isInteger(index))
      throw invalidMessage(`The index ${index} of a ${block.type} block is not an integer.`);
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
