import { assistantMessage, Chain, END, Graph, runnable, START, systemMessage, textOf, userMessage } from "kumiko";
import { placeholder, promptTemplate } from "kumiko/templates";
import { describe, expect, it } from "vitest";

const text = async (template: string, variables: object): Promise<string> => {
  const [message] = await promptTemplate([["user", template as string]]).format(variables as never);
  return message === undefined ? "" : textOf(message);
};

const thrownBy = (make: () => unknown): unknown => {
  try {
    make();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("a template", () => {
  const template = promptTemplate([
    ["system", "You are {role}."],
    placeholder("history"),
    ["user", "{question}"],
    ["assistant", "Well,"],
  ]);
  const history = [userMessage("Hi"), assistantMessage("Hello")];

  it("makes messages of its parts, in their order", async () => {
    expect(await template.format({ role: "a poet", history, question: "Why?" })).toEqual([
      systemMessage("You are a poet."),
      ...history,
      userMessage("Why?"),
      assistantMessage("Well,"),
    ]);
  });

  it("puts the messages of a placeholder in as they are", async () => {
    const odd = [userMessage("{question} {{ }}")];
    expect((await template.format({ role: "a poet", history: odd, question: "Why?" }))[1]).toBe(odd[0]);
  });

  it("is a node of a graph and a step of a chain", async () => {
    const ask = promptTemplate([["user", "{question}"]]);
    const graph = new Graph<{ question: string }, unknown>()
      .addNode("ask", ask)
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    const chain = new Chain<{ question: string }>().append(ask).compile();
    expect(await graph.invoke({ question: "Why?" })).toEqual([userMessage("Why?")]);
    expect(await chain.stream({ question: "Why?" }).concat()).toEqual([userMessage("Why?")]);
  });

  it("runs by itself", async () => {
    expect(await runnable(template).invoke({ role: "a poet", history: [], question: "Why?" })).toHaveLength(3);
  });

  it("gives new messages each time, and leaves the variables as they are", async () => {
    const variables = Object.freeze({ role: "a poet", history: Object.freeze([...history]), question: "Why?" });
    const [first, second] = [await template.format(variables), await template.format(variables)];
    expect(first).toEqual(second);
    expect(first).not.toBe(second);
  });

  it("leaves out an optional placeholder that is not given", async () => {
    const brief = promptTemplate([placeholder("history", { optional: true }), ["user", "{question}"]]);
    expect(await brief.format({ question: "Why?" })).toEqual([userMessage("Why?")]);
    expect(await brief.format({ question: "Why?", history: undefined })).toEqual([userMessage("Why?")]);
  });
});

describe("a text", () => {
  it.each([
    ["{a} and {a}", { a: "x" }, "x and x"],
    ["{{a}} is {a}", { a: "x" }, "{a} is x"],
    ["{{{a}}}", { a: "x" }, "{x}"],
    ["{{}}", {}, "{}"],
    ['{{"key": [{a}]}}', { a: 1 }, '{"key": [1]}'],
    ["{größe} {_b1} {$c}", { größe: "x", _b1: "y", $c: "z" }, "x y z"],
    ["no variables", {}, "no variables"],
    ["", {}, ""],
  ])("%j with %j is %j", async (template, variables, expected) => {
    expect(await text(template, variables)).toBe(expected);
  });

  it.each([
    ["12.5", 12.5],
    ["true", true],
    ["null", null],
    ["12", 12n],
    ['["a",1]', ["a", 1]],
    ['{"city":"深圳"}', { city: "深圳" }],
    ['"1970-01-01T00:00:00.000Z"', new Date(0)],
    ['{"a":1}', new Map([["a", 1]])],
  ])("holds a value as JSON: %s", async (expected, value) => {
    expect(await text("{value}", { value })).toBe(expected);
  });

  it("does not read what is put in as a template", async () => {
    expect(await text("{a}", { a: "{b} {{c}} }" })).toBe("{b} {{c}} }");
  });

  it("ignores variables that it does not need", async () => {
    expect(await text("{a}", { a: "x", b: () => 1, c: Symbol("c") })).toBe("x");
  });

  it("takes own fields only", async () => {
    await expect(text("{constructor} {toString}", {})).rejects.toMatchObject({ code: "MISSING_VARIABLE" });
    const own = Object.fromEntries([
      ["constructor", "x"],
      ["__proto__", "y"],
    ]);
    expect(await text("{constructor} {__proto__}", own)).toBe("x y");
  });

  it.each([
    ["{", /A brace is opened but never closed at position 0/],
    ["a } b", /A brace is closed but was never opened at position 2/],
    ["{}", /\{\} is not a valid variable/],
    ["{ a }", /\{ a \} is not a valid variable/],
    ["{a.b}", /\{a.b\} is not a valid variable/],
    ["{a!r}", /is not a valid variable/],
    ["{a:>10}", /is not a valid variable/],
    ["{0}", /is not a valid variable/],
    ["{a{b}}", /A brace is opened but never closed at position 0/],
    ["{{a}", /A brace is closed but was never opened at position 3/],
  ])("%j is refused when the template is made", (template, message) => {
    const error = thrownBy(() => promptTemplate([["user", template as string]]));
    expect(error).toMatchObject({ code: "INVALID_TEMPLATE", message: expect.stringMatching(message) });
  });
});

describe("variables that do not fit", () => {
  const template = promptTemplate([["system", "{a} {b}"], placeholder("history"), ["user", "{c}"]]);

  it("are named in one error", async () => {
    await expect(template.format({ b: 1, c: undefined } as never)).rejects.toMatchObject({
      code: "MISSING_VARIABLE",
      message: 'The template needs "a", "c", "history", which are missing. Given variables: "b".',
    });
  });

  it.each([[undefined], ["text"], [null], [[]]])("may not be %j", async (variables) => {
    await expect(template.format(variables as never)).rejects.toMatchObject({ code: "MISSING_VARIABLE" });
  });

  it.each([["text"], [[{ role: "user" }]], [userMessage("alone")]])(
    "may not be %j for a placeholder",
    async (given) => {
      await expect(template.format({ a: 1, b: 1, c: 1, history: given } as never)).rejects.toMatchObject({
        code: "INVALID_MESSAGE",
        message: expect.stringContaining('The placeholder "history" takes an array of messages'),
      });
    },
  );

  it.each([[() => 1], [Symbol("s")]])("have to be of a kind that has a text", async (value) => {
    await expect(text("{value}", { value })).rejects.toMatchObject({
      code: "INVALID_TEMPLATE",
      message: expect.stringContaining('The variable "value" cannot be converted to text'),
    });
  });
});

describe("making a template", () => {
  it.each([
    [undefined, "takes an array of at least one part"],
    [[], "takes an array of at least one part"],
    ["{a}", "takes an array of at least one part"],
    [["user", "{a}"], "Part 0 of the template"],
    [[["human", "{a}"]], "Part 0 of the template"],
    [[["user", "a"], ["user"]], "Part 1 of the template"],
    [[["user", 1]], "Part 0 of the template"],
    [[["constructor", "a"]], "Part 0 of the template"],
  ])("from %j is refused", (parts, message) => {
    const error = thrownBy(() => promptTemplate(parts as never));
    expect(error).toMatchObject({ code: "INVALID_TEMPLATE", message: expect.stringContaining(message) });
  });

  it("refuses options that it does not know", () => {
    expect(thrownBy(() => promptTemplate([["user", "a"]], { format: "jinja" } as never))).toMatchObject({
      code: "INVALID_OPTION",
      message: 'Unknown option "format" of promptTemplate. Options: syntax.',
    });
    expect(thrownBy(() => promptTemplate([["user", "a"]], { syntax: "jinja" as never }))).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("syntax of promptTemplate must be jinja or mustache"),
    });
    expect(thrownBy(() => placeholder("a", { option: true } as never))).toMatchObject({ code: "INVALID_OPTION" });
    expect(thrownBy(() => placeholder("a", null as never))).toMatchObject({ code: "INVALID_OPTION" });
    expect(thrownBy(() => promptTemplate([["user", "a"]], null as never))).toMatchObject({ code: "INVALID_OPTION" });
  });

  it("refuses a placeholder without a name", () => {
    expect(thrownBy(() => placeholder(""))).toMatchObject({ code: "INVALID_TEMPLATE" });
  });

  it("refuses a name that is both a placeholder and a variable", () => {
    expect(thrownBy(() => promptTemplate([placeholder("a"), ["user", "{a}"]]))).toMatchObject({
      code: "INVALID_TEMPLATE",
      message: expect.stringContaining('"a" is both a placeholder for messages and a variable in a string.'),
    });
  });
});
