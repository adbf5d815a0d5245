import { Ajv2020 } from "ajv/dist/2020.js";
import { userMessage } from "kumiko";
import { structured } from "kumiko/models";
import type { JsonSchema } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { strictProblems } from "./strict-rules.js";

const prompt = [userMessage("x")];
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The schema that is sent for an output, and how an answer is read. */
async function sentFor(
  schema: z.ZodType | JsonSchema,
  answer: unknown = {},
): Promise<{ sent: Record<string, unknown>; got: unknown; partial: unknown[] }> {
  const model = scriptedModel(
    JSON.stringify(answer),
    JSON.stringify(answer),
    JSON.stringify(answer),
    JSON.stringify(answer),
  );
  const output = structured(model, schema, { outputRepairs: 0 });
  const got: unknown = await output.invoke(prompt).catch((error: unknown) => error);
  const partial: unknown[] = [];
  try {
    for await (const value of output.stream(prompt)) partial.push(value);
  } catch {
    // the same failure
  }
  const format = model.calls[0]?.options.responseFormat as { schema: Record<string, unknown> };
  return { sent: format.schema, got, partial };
}

/** A schema and values that it takes: as they are, and as a strict answer has them. */
interface Sample {
  readonly schema: z.ZodType;
  readonly value: () => Json | undefined;
  /** The same value with a null for each optional property that is missing. */
  readonly strict: (value: Json | undefined) => Json;
  readonly hasForm: boolean;
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

class Samples {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  object(depth: number, extra: Readonly<Record<string, Sample>> = {}): Sample {
    const names = Array.from({ length: this.#below(4) }, (_, index) => `p${index}`);
    const fields = { ...extra, ...Object.fromEntries(names.map((name) => [name, this.#property(depth - 1)])) };
    const entries = Object.entries(fields);
    return {
      schema: z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))),
      value: () =>
        Object.fromEntries(
          entries.flatMap(([name, { value }]): [string, Json][] => {
            const inner = value();
            return inner === undefined ? [] : [[name, inner]];
          }),
        ),
      strict: (value) =>
        Object.fromEntries(entries.map(([name, { strict }]) => [name, strict((value as Record<string, Json>)[name])])),
      hasForm: entries.every(([, { hasForm }]) => hasForm),
    };
  }

  #property(depth: number): Sample {
    const inner = this.any(depth);
    const missing = (): boolean => this.#random() < 0.5;
    const strict = (value: Json | undefined): Json => (value === undefined ? null : inner.strict(value));
    const takesNull = inner.schema.safeParse(null).success;
    switch (takesNull ? 3 : this.#below(4)) {
      case 0:
        return {
          ...inner,
          schema: inner.schema.optional(),
          strict,
          value: () => (missing() ? undefined : inner.value()),
        };
      case 1: {
        const fallback = inner.schema.parse(inner.value());
        return {
          ...inner,
          schema: inner.schema.default(fallback as never),
          strict,
          value: () => (missing() ? undefined : inner.value()),
        };
      }
      default:
        return inner;
    }
  }

  any(depth: number): Sample {
    const leaf = this.#below(7);
    if (depth <= 0 || this.#random() < 0.4) return this.#leaf(leaf);
    switch (this.#below(7)) {
      case 0:
        return this.object(depth);
      case 1: {
        const item = this.any(depth - 1);
        return {
          schema: z.array(item.schema),
          value: () => Array.from({ length: this.#below(3) }, () => item.value() ?? null),
          strict: (value) => (value as Json[]).map((one) => item.strict(one)),
          hasForm: item.hasForm,
        };
      }
      case 2: {
        const inner = this.any(depth - 1);
        return {
          ...inner,
          schema: inner.schema.nullable(),
          value: () => (this.#random() < 0.3 ? null : inner.value()),
          strict: (value) => (value === null ? null : inner.strict(value)),
        };
      }
      case 3: {
        const arms = ["a", "b", "c"].map((tag) => this.object(depth - 1, { tag: only(tag) }));
        return this.#choice(z.discriminatedUnion("tag", arms.map(({ schema }) => schema) as never), arms);
      }
      case 4: {
        const arms = [this.object(depth - 1, { left: only("l") }), this.#leaf(0)];
        return this.#choice(z.union(arms.map(({ schema }) => schema) as never), arms);
      }
      case 5: {
        const inner = this.any(depth - 1);
        return {
          schema: z.record(z.string(), inner.schema),
          value: () => ({ k: inner.value() ?? null }),
          strict: (value) => value ?? null,
          hasForm: false,
        };
      }
      default:
        return this.#leaf(leaf);
    }
  }

  #choice(schema: z.ZodType, arms: readonly Sample[]): Sample {
    return {
      schema,
      value: () => arms[this.#below(arms.length)]?.value(),
      strict: (value) => {
        const arm = arms.find((one) => one.schema.safeParse(value).success);
        return arm?.strict(value) ?? null;
      },
      hasForm: arms.every(({ hasForm }) => hasForm),
    };
  }

  #leaf(which: number): Sample {
    const plain = (schema: z.ZodType, value: () => Json, hasForm = true): Sample => ({
      schema,
      value,
      strict: (given) => given ?? null,
      hasForm,
    });
    switch (which) {
      case 0:
        return plain(z.string().min(1).max(9).describe("A word."), () => `w${this.#below(9)}`);
      case 1:
        return plain(z.number().min(0), () => this.#below(100) / 4);
      case 2:
        return plain(z.int(), () => this.#below(100));
      case 3:
        return plain(z.boolean(), () => this.#random() < 0.5);
      case 4:
        return plain(z.enum(["red", "green"]), () => (this.#random() < 0.5 ? "red" : "green"));
      case 5:
        return plain(z.literal([1, "one"]), () => (this.#random() < 0.5 ? 1 : "one"));
      default:
        if (this.#random() < 0.8) return plain(z.null(), () => null);
        return this.#random() < 0.5
          ? plain(z.tuple([z.string()]), () => ["t"], false)
          : plain(z.string().regex(/^r/), () => "r", false);
    }
  }
}

function only(text: string): Sample {
  return { schema: z.literal(text), value: () => text, strict: () => text, hasForm: true };
}

describe("200 random schemas of zod", () => {
  const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

  it("are sent in a form that strict services take, and their answers are read as what they mean", async () => {
    let strictOnes = 0;
    for (const seed of seeds) {
      const samples = new Samples(seed);
      const sample = seed % 5 === 0 ? samples.any(3) : samples.object(3);
      const value = sample.value() ?? null;
      const isWrapped = z.toJSONSchema(sample.schema, { io: "input" }).type !== "object";
      const answer = sample.hasForm ? sample.strict(value) : value;
      const { sent, got, partial } = await sentFor(sample.schema, isWrapped ? { value: answer } : answer);
      expect(
        strictProblems(sent).length === 0,
        `${seed}: ${strictProblems(sent).join(", ")}\n${JSON.stringify(sent)}`,
      ).toBe(sample.hasForm);
      expect(got, `${seed}: ${JSON.stringify(answer)} for ${JSON.stringify(sent)}`).toEqual(sample.schema.parse(value));
      expect(partial.at(-2) ?? value, `${seed}, streamed`).toEqual(value);
      if (!sample.hasForm) continue;
      strictOnes += 1;
      const { $schema: _, ...schema } = sent;
      const validate = new Ajv2020({ strict: false }).compile(schema);
      expect(validate(isWrapped ? { value: answer } : answer), `${seed}: the strict answer fits`).toBe(true);
    }
    expect(strictOnes).toBeGreaterThan(100);
  });
});

describe("an output in strict form", () => {
  it("requires everything, is null where a property is optional, closed and without defaults", async () => {
    const schema = z.object({
      a: z.string(),
      b: z.string().optional(),
      c: z.number().default(3),
      d: z.null().optional(),
    });
    const { sent, got, partial } = await sentFor(schema, { a: "x", b: null, c: null, d: null });
    expect(sent).toMatchObject({
      required: ["a", "b", "c", "d"],
      additionalProperties: false,
      properties: {
        b: { anyOf: [{ type: "string" }, { type: "null" }] },
        c: { anyOf: [{ type: "number" }, { type: "null" }] },
        d: { type: "null" },
      },
    });
    expect(got).toEqual({ a: "x", c: 3, d: null });
    expect(partial.at(-1)).toEqual({ a: "x", c: 3, d: null });
    expect(partial.at(0)).toEqual({ a: "x", d: null });
  });

  it("follows references, also of a schema that contains itself", async () => {
    interface Tree {
      name: string;
      note?: string | undefined;
      children: Tree[];
    }
    const tree: z.ZodType<Tree> = z.lazy(() =>
      z.object({ name: z.string(), note: z.string().optional(), children: z.array(tree) }),
    );
    const named = z.object({ tree: tree.meta({ id: "tree" }) });
    const answer = { tree: { name: "a", note: null, children: [{ name: "b", note: null, children: [] }] } };
    const { sent, got } = await sentFor(named, answer);
    expect(strictProblems(sent)).toEqual([]);
    expect(got).toEqual({ tree: { name: "a", children: [{ name: "b", children: [] }] } });
    const list = await sentFor(z.array(tree), { value: answer.tree.children });
    expect(strictProblems(list.sent)).toEqual([]);
    expect(list.got).toEqual([{ name: "b", children: [] }]);
  });

  it("keeps a null that the schema has, in a union too", async () => {
    const schema = z.object({
      u: z.union([
        z.object({ t: z.literal("a"), n: z.number().optional() }),
        z.object({ t: z.literal("b"), n: z.null() }),
      ]),
      maybe: z.string().nullish(),
    });
    expect((await sentFor(schema, { u: { t: "a", n: null }, maybe: null })).got).toEqual({
      u: { t: "a" },
      maybe: null,
    });
    expect((await sentFor(schema, { u: { t: "b", n: null }, maybe: null })).got).toEqual({
      u: { t: "b", n: null },
      maybe: null,
    });
  });

  it.each([
    ["not", { type: "object", properties: { a: { type: "string", not: { const: "b" } } } }],
    ["allOf", { type: "object", properties: { a: { allOf: [{ minimum: 1 }, { type: "number" }] } } }],
    ["an open object", { type: "object", properties: {}, additionalProperties: true }],
    ["any object", { type: "object" }],
  ] as const)("is not made of plain JSON Schema with %s", async (_, schema) => {
    expect((await sentFor(schema)).sent).toEqual(schema);
  });

  it("closes objects of plain JSON Schema that do not say that they are open", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, b: { enum: ["x", null] } },
      required: ["a"],
    } as const;
    const { sent, got } = await sentFor(schema, { a: "x", b: null });
    expect(strictProblems(sent)).toEqual([]);
    expect(got).toEqual({ a: "x", b: null });
  });

  it.each([
    ["a record", z.object({ r: z.record(z.string(), z.number()) })],
    ["an open object", z.looseObject({ a: z.string() })],
    ["a tuple", z.object({ t: z.tuple([z.string(), z.number()]) })],
    ["a pattern", z.object({ p: z.string().regex(/^a+$/) })],
    ["anything", z.object({ a: z.any() })],
    ["nothing", z.object({ n: z.never().optional() })],
  ])("is not made of %s: it goes as it is", async (_, schema) => {
    const { sent } = await sentFor(schema);
    const { $schema: __, ...own } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
    expect(sent).toMatchObject({ properties: own.properties });
    expect(strictProblems(sent)).not.toEqual([]);
  });
});
