import { textOf, userMessage } from "kumiko";
import { jinja, mustache, placeholder, promptTemplate, type TemplateSyntax } from "kumiko/templates";
import { describe, expect, it } from "vitest";

const render = async (syntax: TemplateSyntax, template: string, variables: object = {}): Promise<string> => {
  const [message] = await promptTemplate([["user", template as string]], { syntax }).format({ ...variables });
  return message === undefined ? "" : textOf(message);
};

class Account {
  name = "Mio";
  secret(): string {
    return "secret";
  }
  get pin(): string {
    return "1234";
  }
}

describe("jinja", () => {
  it.each([
    ["Hello {{ name }}!", { name: "Mio" }, "Hello Mio!"],
    ["{% for x in list %}{{ x }},{% endfor %}", { list: [1, 2] }, "1,2,"],
    ["{% if a %}yes{% else %}no{% endif %}", { a: false }, "no"],
    ["{% if a is defined %}yes{% else %}no{% endif %}", {}, "no"],
    ["{{ a | default('none') }}", {}, "none"],
    ["{{ user.name | upper }}", { user: { name: "Mio" } }, "MIO"],
    ["{% set a = 1 %}{{ a }}", {}, "1"],
    ["{% for i in range(2) %}{{ i }}{% endfor %}", {}, "01"],
    ["{{ html }}", { html: "<b>&amp;</b>" }, "<b>&amp;</b>"],
    ["{{ text }}", { text: "{{ name }} {% raw" }, "{{ name }} {% raw"],
  ])("renders %j with %j", async (template, variables, expected) => {
    expect(await render(jinja, template, variables)).toBe(expected);
  });

  it("names all variables that are printed and not given in one error", async () => {
    await expect(render(jinja, "{{ a }} {{ b.c | upper }} {% if d %}{{ d }}{% endif %}")).rejects.toMatchObject({
      code: "MISSING_VARIABLE",
      message: 'The template needs "a", "b", which are missing. Given variables: none.',
    });
  });

  it.each([["{{ a.secret }}"], ["{{ a.pin }}"], ["{{ a.constructor.name }}"], ["{{ a.name.constructor.name }}"]])(
    "reaches nothing but own fields with %j",
    async (template) => {
      expect(await render(jinja, template, { a: new Account() }).catch(() => "refused")).toMatch(/^(refused)?$/);
    },
  );

  it("gives no function to a template, and refuses one that it prints", async () => {
    expect(await render(jinja, "{% if f is defined %}yes{% else %}no{% endif %}", { f: () => 1 })).toBe("no");
    await expect(render(jinja, "{{ f }}", { f: () => 1 })).rejects.toMatchObject({ code: "INVALID_TEMPLATE" });
  });

  it.each([["{% include 'a.txt' %}"], ["{% import 'a.txt' as a %}"], ["{% extends 'a' %}"], ["{{ a"], ["{% if a %}"]])(
    "refuses %j, and names the part",
    async (template) => {
      await expect(render(jinja, template, { a: 1 })).rejects.toMatchObject({
        code: "INVALID_TEMPLATE",
        message: expect.stringContaining("Part 0 of the template cannot be read as jinja"),
      });
    },
  );

  it("names the part whose rendering fails", async () => {
    await expect(render(jinja, "{{ raise_exception('no city') }}")).rejects.toMatchObject({
      code: "INVALID_TEMPLATE",
      message: "Part 0 of the template cannot be rendered as jinja: no city",
    });
  });

  it("ignores surplus variables that have a name of jinja, and refuses them where they are used", async () => {
    expect(await render(jinja, "{{ a }}", { a: 1, range: 2, true: 3 })).toBe("1");
    await expect(render(jinja, "{{ range }}", { range: 2 })).rejects.toMatchObject({
      code: "INVALID_TEMPLATE",
      message: expect.stringContaining('"range" is a reserved name in jinja'),
    });
  });
});

describe("mustache", () => {
  it.each([
    ["Hello {{name}}!", { name: "Mio" }, "Hello Mio!"],
    ["{{#list}}{{.}},{{/list}}", { list: [1, 2] }, "1,2,"],
    ["{{#list}}{{name}} of {{city}},{{/list}}", { city: "Kyoto", list: [{ name: "Mio" }] }, "Mio of Kyoto,"],
    ["{{^list}}none{{/list}}", { list: [] }, "none"],
    ["{{^list}}none{{/list}}", {}, "none"],
    ["{{user.name}}", { user: { name: "Mio" } }, "Mio"],
    ["{{html}} {{{html}}} {{&html}}", { html: "<b>" }, "<b> <b> <b>"],
    ["{{a}}", { a: { b: [1] } }, '{"b":[1]}'],
    ["{{a}}", { a: 0 }, "0"],
    ["{{a}}", { a: "{{b}}" }, "{{b}}"],
    ["{{=<% %>=}}<% a %>", { a: 1 }, "1"],
  ])("renders %j with %j", async (template, variables, expected) => {
    expect(await render(mustache, template, variables)).toBe(expected);
  });

  it("names all variables that are printed and not given in one error", async () => {
    await expect(render(mustache, "{{a}} {{{b.c}}} {{#d}}{{e}}{{/d}}")).rejects.toMatchObject({
      code: "MISSING_VARIABLE",
      message: 'The template needs "a", "b", which are missing. Given variables: none.',
    });
  });

  it.each([
    ["{{a.constructor.name}}"],
    ["{{a.secret}}"],
    ["{{a.pin}}"],
    ["{{a.name.constructor.name}}"],
    ["{{#a}}{{constructor.name}}{{toString}}{{/a}}"],
    ["{{a.__proto__}}"],
  ])("reaches nothing but own fields with %j", async (template) => {
    expect(await render(mustache, template, { a: new Account() })).toBe("");
  });

  it("calls no function", async () => {
    const f = () => "called";
    expect(await render(mustache, "{{#f}}yes{{/f}}{{#list}}{{f}}{{/list}}", { f, list: [{ f }] })).toBe("");
    await expect(render(mustache, "{{f}}", { f })).rejects.toMatchObject({ code: "INVALID_TEMPLATE" });
  });

  it("refuses other templates inside", async () => {
    await expect(render(mustache, "{{#a}}{{> footer}}{{/a}}")).rejects.toMatchObject({
      code: "INVALID_TEMPLATE",
      message: "{{> footer}} includes another template, which is not supported. Copy its text into this one.",
    });
  });

  it("refuses a section that never ends, and names the part", async () => {
    await expect(render(mustache, "{{#a}}")).rejects.toMatchObject({
      code: "INVALID_TEMPLATE",
      message: expect.stringContaining("Part 0 of the template cannot be read as mustache"),
    });
  });
});

describe("both", () => {
  it.each([jinja, mustache])("stand beside placeholders: $name", async (syntax) => {
    const template = promptTemplate([["system", "{{ role }}"], placeholder("history")], { syntax });
    const history = [userMessage("{{ role }}")];
    expect(await template.format({ role: "a poet", history })).toEqual([
      { role: "system", contentBlocks: [{ type: "user_input_text", text: "a poet" }] },
      ...history,
    ]);
    const clash = promptTemplate([["system", "{{ history }}"], placeholder("history")], { syntax });
    await expect(clash.format({ history })).rejects.toMatchObject({ code: "INVALID_TEMPLATE" });
  });

  it("have company: a syntax of one's own", async () => {
    const dollar: TemplateSyntax = {
      name: "dollar",
      compile: (text) => ({
        variables: [],
        render: (values) => text.replace(/\$(\w+)/g, (_, name: string) => String(values[name])),
      }),
    };
    expect(await render(dollar, "Hello $name", { name: "Mio" })).toBe("Hello Mio");
  });
});
