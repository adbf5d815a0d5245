import { cannotConcatMessages, invalidMessage } from "../errors.js";
import { withoutUndefined } from "../without-undefined.js";
import { concatExtras } from "./concat-extra.js";
import {
  agreed,
  agreedIfAny,
  appended,
  appendedContent,
  type FieldRule,
  joined,
  joinedIfAny,
  last,
  lastFilled,
  pieces,
  textOrLast,
  trueIfAny,
} from "./concat-field.js";
import { claudeText, openaiReasoning, openaiText } from "./concat-vendor.js";
import type { BlockCommon, BlockOf, ContentBlock, ContentBlockType } from "./content-block.js";

type OwnField<Block> = Exclude<keyof Block, "type" | keyof BlockCommon>;
type Rules<Block> = { readonly [Field in OwnField<Block>]-?: FieldRule };

const media = {
  url: agreedIfAny,
  base64Data: joinedIfAny,
  mimeType: agreedIfAny,
};

/** How each field of each kind of block is joined. Blocks of `"whole"` kinds come in one chunk. */
const rules: { readonly [Type in ContentBlockType]: Rules<BlockOf<Type>> | "whole" } = {
  reasoning: { text: joined, signature: joinedIfAny, openaiExtension: openaiReasoning },
  user_input_text: "whole",
  user_input_image: "whole",
  user_input_audio: "whole",
  user_input_video: "whole",
  user_input_file: "whole",
  assistant_gen_text: {
    text: joined,
    openaiExtension: openaiText,
    claudeExtension: claudeText,
    extension: pieces,
  },
  assistant_gen_image: media,
  assistant_gen_audio: media,
  assistant_gen_video: media,
  function_tool_call: { callId: agreed, name: agreed, arguments: joined },
  function_tool_result: {
    callId: agreed,
    name: agreed,
    result: joined,
    resultType: agreedIfAny,
    content: appendedContent,
    isError: trueIfAny,
    errorKind: lastFilled,
  },
  tool_search_result: "whole",
  server_tool_call: { name: agreed, callId: agreedIfAny, arguments: textOrLast },
  server_tool_result: { name: agreed, callId: agreedIfAny, content: textOrLast },
  mcp_tool_call: {
    serverLabel: agreed,
    approvalRequestId: agreedIfAny,
    callId: agreed,
    name: agreed,
    arguments: joined,
  },
  mcp_tool_result: {
    serverLabel: agreed,
    callId: agreed,
    name: agreed,
    content: joined,
    error: last,
  },
  mcp_list_tools_result: { serverLabel: agreed, tools: appended, error: lastFilled },
  mcp_tool_approval_request: {
    id: agreed,
    name: agreed,
    arguments: joined,
    serverLabel: agreed,
  },
  mcp_tool_approval_response: "whole",
  extension: "whole",
};

/** Joins the pieces of one block, which all have the same type. The result has no `streamingMeta`. */
export function concatBlocks(blocks: readonly [ContentBlock, ...ContentBlock[]], index: number): ContentBlock {
  const { type, streamingMeta, extra, ...fields } = blocks[0];
  const result: JoinedBlock = { type, ...fields };
  const fieldRules = Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (fieldRules === undefined || fieldRules === "whole") requireOne(blocks, index, fieldRules !== undefined);
  else {
    for (const [field, rule] of Object.entries<FieldRule>(fieldRules)) {
      const value = rule(valuesOf(blocks, field), { field, type, index });
      if (value !== undefined) result[field] = value;
    }
  }
  const extras = concatExtras(valuesOf(blocks, "extra"), `extra of the ${type} block at index ${index}`);
  if (extras !== undefined) result.extra = extras;
  return withoutUndefined(result) as ContentBlock;
}

interface JoinedBlock {
  readonly type: ContentBlockType;
  [field: string]: unknown;
}

function requireOne(blocks: readonly ContentBlock[], index: number, isKnown: boolean): void {
  if (blocks.length === 1) return;
  const type = blocks[0]?.type;
  if (!isKnown)
    throw invalidMessage(`"${type}" at index ${index} is not a content block type, so its chunks cannot be joined.`);
  throw cannotConcatMessages(
    `cannot concat multiple ${type} blocks at index ${index}: such a block comes in one chunk. Give each its own index.`,
  );
}

function valuesOf(blocks: readonly object[], field: string): unknown[] {
  const values: unknown[] = [];
  for (const block of blocks as readonly Readonly<Record<string, unknown>>[]) {
    const value = block[field];
    if (value !== undefined && value !== null) values.push(value);
  }
  return values;
}
