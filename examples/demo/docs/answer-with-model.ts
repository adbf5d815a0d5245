import { type AgentStream, createAgent } from "kumiko/agents";
import type { Model } from "kumiko/models";
import type { DocsSection } from "./find-sections.js";

const instructions = `You answer questions about a TypeScript library from the numbered sections of its docs that come with the \
question, and from nothing else. Cite the number of a section after each statement that comes from it, such as [1]. If the \
sections do not tell, say that the docs do not tell, and cite nothing.`;

/** Lets a model answer from the sections that were found. */
export function answerWithModel(
  model: Model,
  question: string,
  sections: readonly DocsSection[],
  signal: AbortSignal | undefined,
): AgentStream {
  const sources = sections.map(({ title, text }, index) => `[${index + 1}] ${title}\n${text}`);
  const agent = createAgent({ name: "docs", model, instructions });
  return agent.stream([...sources, `Question: ${question}`].join("\n\n"), { signal });
}
