/** A question, and what a passage must contain to answer it; without an `answer`, the docs do not answer it. */
export interface DocsQuestion {
  readonly question: string;
  readonly answer?: RegExp;
}

/** Questions of people who do not know the words of the docs, written before anybody had looked at what they find. */
export const docsQuestions: readonly DocsQuestion[] = [
  { question: "Which operators does a filter have?", answer: /\$eq.*\$ne.*\$gt/ },
  { question: "What happens to a run when its process is killed?", answer: /crash|killed/ },
  { question: "How does a tool wait for somebody to agree?", answer: /requireApproval|Tools that ask/ },
  { question: "What does CANNOT_MERGE mean?", answer: /CANNOT_MERGE/ },
  { question: "How do I limit how many nodes run at the same time?", answer: /maxConcurrency/ },
  { question: "Can I retry a node that fails?", answer: /retry: |`retry`/ },
  { question: "How do I stream the text of an agent?", answer: /textStream|text_delta/ },
  { question: "Which databases can keep the messages of a thread?", answer: /sqliteStore|postgresStore/ },
  { question: "How do I use the tools of an MCP server?", answer: /connectMcp/ },
  { question: "How can I serve an agent to useChat?", answer: /uiMessageStream/ },
  { question: "Where do I see how many tokens an agent costs?", answer: /usage|cost/i },
  { question: "How do I test an agent without a key?", answer: /scriptedModel/ },
  { question: "Is a workflow different from a graph?", answer: /[Ww]orkflow/ },
  {
    question: "How do I split a Markdown document at its headings?",
    answer: /strategy: "markdown"|splitter\("markdown"/,
  },
  { question: "How tall is Mount Fuji?" },
  { question: "Which hotels in Kyoto accept dogs?" },
  { question: "How do I cook rice?" },
  { question: "How do I fine-tune a model on my own data?" },
  { question: "What does a licence for companies cost?" },
  { question: "Can I write agents in Python or Ruby?" },
];

/** What was measured: of the first 14 questions, and of the last 6 (`refused`). */
export const measured = { first: 10, firstThree: 13, refused: 5, wronglyRefused: 0 };
