import { createTool, textOf, userMessage } from "kumiko";
import { approvals, createAgent, guard, overBudget, piiGuard, subAgents, threads } from "kumiko/agents";
import { call } from "../agents.js";
import { ask, type Feature, yes } from "./feature.js";

const request = (id: string, name: string) =>
  ({ type: "mcp_tool_approval_request", id, name, arguments: "{}", serverLabel: "mail" }) as const;
const none: never[] = [];

/** Rules decide, and ask, beside a provider's questions, a task and a handoff. */
export const rules: Feature = {
  make({ store, model, tool }) {
    const helper = createAgent({
      name: "helper",
      description: "Erases.",
      model: model("helper", { erase: [[call("h1", "erase"), call("h2", "look")], "Erased."] }),
      tools: [tool("erase"), tool("look")],
      middleware: [approvals({ rules: [{ tool: "erase", action: "ask" }] })],
    });
    const payments = [call("d1", "pay", { to: "ann" }), call("d2", "pay", { to: "bob" }), call("d3", "drop")];
    const desk = createAgent({
      name: "desk",
      description: "Pays.",
      model: model("desk", {
        go: [none, none, none, payments, "All is paid."],
        again: [[call("e1", "pay", { to: "ann" }), request("m4", "search_mail")], "Paid again."],
      }),
      tools: [tool("pay"), tool("drop")],
    });
    const mails = [request("m1", "search_mail"), request("m2", "drop_mail"), request("m3", "look_mail")];
    const calls = [call("1", "pay", { to: "ann" }), call("2", "drop"), call("3", "look"), ...mails];
    const task = [call("4", "task", { agent: "helper", prompt: "erase" })];
    return createAgent({
      name: "front",
      model: model("front", { go: [calls, task, [call("5", "transfer_to_desk")]] }),
      tools: [tool("pay"), tool("drop"), tool("look", ask)],
      handoffs: [desk],
      store,
      middleware: [
        subAgents({ agents: [helper] }),
        approvals({
          rules: [
            { tool: "pay", action: "ask", key: ({ to }) => String(to) },
            { tool: "drop*", action: "deny", reason: "Never." },
            { tool: "look*", action: "allow" },
            { tool: "search_mail", action: "ask" },
          ],
        }),
      ],
    });
  },
  answer: (name, input) =>
    JSON.stringify(input).includes("bob") ? { approved: false } : { approved: true, always: name !== "erase" },
  turns: [
    {
      prompt: "go",
      pauses: [["pay"], ["search_mail"], ["erase"], ["pay"]],
      end: {
        finishReason: "stop",
        text: "All is paid.",
        tokens: 210,
        results: [
          ...["done", "denied", "done", "m1: true", "m2: false", "m3: true", "Erased."],
          ...["The conversation was handed over to desk", "done", "denied", "denied"],
        ],
      },
    },
    {
      prompt: "again",
      pauses: [],
      end: { finishReason: "stop", text: "Paid again.", tokens: 60, results: ["done", "m4: true"] },
    },
  ],
  notes: [
    ...["desk: again 1", "desk: again 2", "desk: go 4", "desk: go 5", "erase {}", "front: go 1", "front: go 2"],
    ...["front: go 3", "helper: erase 1", "helper: erase 2", "look {}", "look {}"],
    ...['pay {"to":"ann"}', 'pay {"to":"ann"}', 'pay {"to":"ann"}'],
  ],
};

/** Tokens are counted over pauses, inner agents that have paused, and a handoff. */
export const budget: Feature = {
  make({ store, model, tool }) {
    const helper = createAgent({
      name: "helper",
      description: "Erases.",
      model: model("helper", { erase: [[call("h1", "erase")], "Erased."] }),
      tools: [tool("erase", ask)],
    });
    const desk = createAgent({
      name: "desk",
      description: "Books.",
      model: model("desk", { go: [none, none, none, [call("d1", "book")], "Never."], again: ["Fine."] }),
      tools: [tool("book", ask)],
    });
    const task = [call("2", "task", { agent: "helper", prompt: "erase" })];
    return createAgent({
      name: "front",
      model: model("front", { go: [[call("1", "book")], task, [call("3", "transfer_to_desk")]] }),
      tools: [tool("book", ask)],
      handoffs: [desk],
      store,
      stopWhen: overBudget({ tokens: 179 }),
      middleware: [subAgents({ agents: [helper] })],
    });
  },
  answer: yes,
  turns: [
    {
      prompt: "go",
      pauses: [["book"], ["erase"], ["book"]],
      end: {
        finishReason: "stop_when",
        text: "",
        tokens: 180,
        results: ["done", "Erased.", "The conversation was handed over to desk", "done"],
      },
    },
    { prompt: "again", pauses: [], end: { finishReason: "stop", text: "Fine.", tokens: 30, results: [] } },
  ],
  notes: [
    ...["book {}", "book {}", "desk: again 1", "desk: go 4", "erase {}", "front: go 1", "front: go 2", "front: go 3"],
    ...["helper: erase 1", "helper: erase 2"],
  ],
};

/** What guards of the first agent judge, before and after pauses and a handoff. */
export const guards: Feature = {
  make({ store, note, model, tool }) {
    const long = "All is well. ".repeat(30);
    const desk = createAgent({
      name: "desk",
      description: "Books.",
      model: model("desk", {
        "go [email]": [
          none,
          none,
          [call("d1", "burn"), call("d2", "mail", { to: "bob" }), call("d3", "book")],
          `${long}Write to eve@example.com.`,
        ],
        leak: [[call("e1", "book")], `${long}It is forbidden.`],
        never: ["Never."],
      }),
      tools: [tool("book", ask), tool("burn"), tool("mail")],
    });
    return createAgent({
      name: "front",
      model: model("front", { "go [email]": [[call("1", "book")], [call("2", "transfer_to_desk")]] }),
      tools: [tool("book", ask)],
      handoffs: [desk],
      store,
      middleware: [
        guard(piiGuard()),
        guard({
          name: "strict",
          reply: "Sorry.",
          input: (message) => {
            note(`judged ${textOf(message)}`);
            if (textOf(message) === "never") throw new Error("Not that.");
            return undefined;
          },
          output: (text) => (text.includes("forbidden") ? { block: "Forbidden." } : undefined),
          toolCall: ({ name }) => {
            note(`judged ${name}`);
            if (name === "burn") return { block: "It burns." };
            return name === "mail" ? { replace: '{"to":"ann"}' } : undefined;
          },
        }),
      ],
    });
  },
  answer: yes,
  turns: [
    {
      prompt: "go ann@example.com",
      pauses: [["book"], ["book"]],
      end: {
        finishReason: "stop",
        text: `${"All is well. ".repeat(30)}Write to [email].`,
        tokens: 120,
        results: ["done", "The conversation was handed over to desk", "denied", "done", "done"],
      },
    },
    {
      prompt: "leak",
      pauses: [["book"]],
      end: {
        finishReason: "content_filter",
        text: "Sorry.",
        tokens: 60,
        results: ["done"],
        blocked: { guard: "strict", on: "output", reason: "Forbidden." },
      },
    },
    {
      prompt: "never",
      pauses: [],
      end: {
        finishReason: "content_filter",
        text: "Sorry.",
        tokens: 0,
        results: [],
        blocked: { guard: "strict", on: "input", reason: "Not that." },
      },
    },
  ],
  notes: [
    ...["book {}", "book {}", "book {}", "desk: go [email] 3", "desk: go [email] 4", "desk: leak 1", "desk: leak 2"],
    ...["front: go [email] 1", "front: go [email] 2", "judged book", "judged book", "judged book", "judged burn"],
    ...["judged go [email]", "judged leak", "judged mail", "judged never", "judged transfer_to_desk"],
    'mail {"to":"ann"}',
  ],
  neverStored: "@example.com",
};

/** What is said to a turn that then pauses is heard where it goes on. */
export const pushes: Feature = {
  make({ store, model, tool }) {
    const hear = createTool({
      id: "hear",
      description: "Hears the user.",
      inputSchema: { type: "object" },
      execute: () => threads(store).push("t", userMessage("Be quick.", { id: "quick" })),
    });
    return createAgent({
      model: model("agent", {
        go: [[call("1", "hear"), call("2", "book")]],
        "Be quick.": ["Quick."],
        again: ["Again."],
      }),
      tools: [hear, tool("book", ask)],
      store,
    });
  },
  answer: yes,
  turns: [
    {
      prompt: "go",
      pauses: [["book"]],
      end: { finishReason: "stop", text: "Quick.", tokens: 60, results: ["true", "done"] },
    },
    { prompt: "again", pauses: [], end: { finishReason: "stop", text: "Again.", tokens: 30, results: [] } },
  ],
  notes: ["agent: Be quick. 1", "agent: again 1", "agent: go 1", "book {}"],
};
