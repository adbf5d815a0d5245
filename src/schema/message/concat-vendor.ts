import { cannotConcatMessages } from "../errors.js";
import { withoutUndefined } from "../without-undefined.js";
import { type FieldPlace, type FieldRule, fieldName, itemsAt, stringAt } from "./concat-field.js";
import type {
  ClaudeTextExtension,
  OpenAIReasoningContent,
  OpenAIReasoningExtension,
  OpenAITextAnnotation,
  OpenAITextExtension,
} from "./vendor-extension.js";

/** Texts with the same index are joined, in order of their indices; texts without an index are appended. */
export const openaiReasoning: FieldRule = (values, place) => {
  const extensions = values as readonly OpenAIReasoningExtension[];
  if (extensions.length === 0) return undefined;
  const content = listOf<OpenAIReasoningContent>(extensions, "content", place);
  if (content === undefined || !allIndexed(content, "content", place)) return withoutUndefined({ content });
  const texts = new Map<number, string>();
  for (const { index, text } of content) texts.set(index, (texts.get(index) ?? "") + stringAt(text, place));
  return { content: [...texts].sort(([left], [right]) => left - right).map(([, text]) => ({ text })) };
};

/** Annotations are sorted by their indices, which must be unique; reasons of a refusal are joined. */
export const openaiText: FieldRule = (values, place) => {
  const extensions = values as readonly OpenAITextExtension[];
  if (extensions.length === 0) return undefined;
  const annotations = listOf<OpenAITextAnnotation>(extensions, "annotations", place);
  const reasons = extensions.flatMap(({ refusal }) => (refusal ? [stringAt(refusal.reason, place)] : []));
  return withoutUndefined({
    refusal: reasons.length === 0 ? undefined : { reason: reasons.join("") },
    annotations: annotations && inOrder(annotations, place),
  });
};

export const claudeText: FieldRule = (values, place) =>
  values.length === 0
    ? undefined
    : withoutUndefined({ citations: listOf(values as readonly ClaudeTextExtension[], "citations", place) });

function inOrder(annotations: readonly OpenAITextAnnotation[], place: FieldPlace): readonly OpenAITextAnnotation[] {
  if (!allIndexed(annotations, "annotations", place)) return annotations;
  const sorted = [...annotations].sort((left, right) => left.index - right.index);
  return sorted.map(({ index, ...annotation }, position) => {
    if (sorted[position + 1]?.index !== index) return annotation;
    throw cannotConcatMessages(`duplicate annotation index ${index} in ${fieldName(place)}.`);
  });
}

/** The items of a list in all extensions; `undefined` if none has the list. */
function listOf<Item>(
  extensions: readonly object[],
  key: "content" | "annotations" | "citations",
  place: FieldPlace,
): Item[] | undefined {
  const lists = (extensions as readonly { readonly [name: string]: unknown }[])
    .map((extension) => extension[key])
    .filter((list) => list !== undefined && list !== null);
  return lists.length === 0 ? undefined : (lists.flatMap((list) => itemsAt(list, place)) as Item[]);
}

function allIndexed<Item extends { readonly index?: number | undefined }>(
  items: readonly Item[],
  list: string,
  place: FieldPlace,
): items is readonly (Item & { readonly index: number })[] {
  const indexed = items.filter((item) => typeof item.index === "number").length;
  if (indexed === 0) return false;
  if (indexed === items.length) return true;
  throw cannotConcatMessages(
    `mix of indexed and non-indexed ${list} in ${fieldName(place)}. Give all an index, or none.`,
  );
}
