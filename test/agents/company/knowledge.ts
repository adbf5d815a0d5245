import { createAgent, recall, toolSearch, userProfile } from "kumiko/agents";
import { skills, storeFiles, workspace } from "kumiko/workspace";
import { call } from "../agents.js";
import { ask, type Feature, yes } from "./feature.js";

const names = Array.from({ length: 9_999 }, (_, index) => `send_form_${index + 1}`);

/** Ten thousand tools, of which the thread knows a few. */
export const search: Feature = {
  make({ store, model, tool }) {
    const tools = [...names.map((name) => tool(name)), tool("pay_invoice", ask)];
    return createAgent({
      model: model("agent", {
        go: [
          [call("1", "search_tools", { query: "invoice" }), call("2", "pay_invoice"), call("3", "send_form_77")],
          [call("4", "pay_invoice"), call("5", "search_tools", { query: "send_form_77" })],
          [call("6", "send_form_77")],
          "Sent.",
        ],
        again: [[call("7", "pay_invoice"), call("8", "send_form_77"), call("9", "send_form_8888")], "Again."],
      }),
      store,
      middleware: [toolSearch({ tools, limit: 1 })],
    });
  },
  answer: yes,
  turns: [
    {
      prompt: "go",
      pauses: [["pay_invoice"]],
      end: {
        finishReason: "stop",
        text: "Sent.",
        tokens: 120,
        results: [
          ...['[{"name":"pay_invoice","description":"Is', "unknown_tool", "unknown_tool", "done"],
          ...['[{"name":"send_form_77","description":"I', "done"],
        ],
      },
    },
    {
      prompt: "again",
      pauses: [["pay_invoice"]],
      end: { finishReason: "stop", text: "Again.", tokens: 60, results: ["done", "done", "unknown_tool"] },
    },
  ],
  notes: [
    ...["agent: again 1", "agent: again 2", "agent: go 1", "agent: go 2", "agent: go 3", "agent: go 4"],
    ...["pay_invoice {}", "pay_invoice {}", "send_form_77 {}", "send_form_77 {}"],
  ],
};

/** What is known of a user, before and after pauses. */
export const profile: Feature = {
  make({ store, model, tool }) {
    return createAgent({
      model: model("agent", {
        go: [
          [call("1", "update_profile", { set: { diet: "vegan", city: "Kyoto" } }), call("2", "book")],
          [call("3", "update_profile", { remove: ["city"] }), call("4", "book")],
          "Noted.",
        ],
        again: ["Known."],
      }),
      tools: [tool("book", ask)],
      store,
      middleware: [userProfile()],
    });
  },
  answer: yes,
  turns: [
    {
      prompt: "go",
      pauses: [["book"], ["book"]],
      end: {
        finishReason: "stop",
        text: "Noted.",
        tokens: 90,
        results: ["The profile has 2 entries.", "done", "The profile has 1 entry.", "done"],
      },
    },
    { prompt: "again", pauses: [], end: { finishReason: "stop", text: "Known.", tokens: 30, results: [] } },
  ],
  notes: ['agent: again 1 ({"diet":"vegan"})', ...["agent: go 1", "agent: go 2", "agent: go 3", "book {}", "book {}"]],
};

/** Files and skills, before and after pauses. */
export const files: Feature = {
  prepare: (store) =>
    storeFiles(store, "skills").write(
      "skills/books/SKILL.md",
      new TextEncoder().encode("---\nname: books\ndescription: Books.\n---\nBook by hand."),
    ),
  make: ({ store, model, tool }) =>
    createAgent({
      model: model("agent", {
        go: [
          [
            call("1", "load_skill", { name: "books" }),
            call("2", "write_file", { path: "a", content: "one" }),
            call("3", "book"),
          ],
          [call("4", "edit_file", { path: "a", old: "one", new: "two" }), call("5", "tell"), call("6", "book")],
          [call("7", "read_file", { path: "a" }), call("8", "grep", { text: "talk", path: "results" })],
          "Written.",
        ],
        again: [[call("9", "list_files"), call("10", "write_file", { path: "../a", content: "no" })], "Read."],
      }),
      tools: [tool("book", ask), tool("tell", { says: "talk ".repeat(5_000) })],
      store,
      middleware: [
        skills({ files: storeFiles(store, "skills") }),
        workspace({ files: ({ threadId = "" }) => storeFiles(store, threadId) }),
      ],
    }),
  answer: yes,
  turns: [
    {
      prompt: "go",
      pauses: [["book"], ["book"]],
      end: {
        finishReason: "stop",
        text: "Written.",
        tokens: 120,
        results: [
          ...["Book by hand.", "Wrote a.", "done", "Edited a.", "talk ".repeat(8), "done", "two"],
          "results/1-5.txt:1: talk talk talk talk t",
        ],
      },
    },
    {
      prompt: "again",
      pauses: [],
      end: { finishReason: "stop", text: "Read.", tokens: 60, results: ["a\nresults/1-5.txt", "execution"] },
    },
  ],
  notes: [
    ...["again 1", "again 2", "go 1", "go 2", "go 3", "go 4"].map((asked) => `agent: ${asked} (- books: Books.)`),
    ...["book {}", "book {}", "tell {}"],
  ],
};

/** Turns of another thread are recalled, which had paused. */
export const memory: Feature = {
  make: ({ store, model, tool, memory }) =>
    createAgent({
      model: model("agent", {
        "I go to Lisbon.": [[call("1", "book")], "Booked for Lisbon."],
        "I had soup.": ["Was it good?"],
        "Where is Lisbon?": [[call("2", "book")], "In Portugal."],
      }),
      tools: [tool("book", ask)],
      store,
      middleware: [recall({ ...memory, topK: 1 })],
    }),
  answer: yes,
  turns: [
    {
      prompt: "I go to Lisbon.",
      pauses: [["book"]],
      end: { finishReason: "stop", text: "Booked for Lisbon.", tokens: 60, results: ["done"] },
    },
    {
      prompt: "I had soup.",
      thread: "u",
      pauses: [],
      end: { finishReason: "stop", text: "Was it good?", tokens: 30, results: [] },
    },
    {
      prompt: "Where is Lisbon?",
      thread: "v",
      pauses: [["book"]],
      end: { finishReason: "stop", text: "In Portugal.", tokens: 60, results: ["done"] },
    },
  ],
  notes: [
    ...["I go to Lisbon. 1", "I go to Lisbon. 2"].map((asked) => `agent: ${asked}`),
    ...["I had soup. 1", "Where is Lisbon? 1", "Where is Lisbon? 2"].map(
      (asked) => `agent: ${asked} ({"user":"I go to Lisbon.","answer":"Booked for Lisbon."})`,
    ),
    ...["book {}", "book {}"],
  ],
};
