import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { rejection } from "../node/calls.js";
import { closeLater, folder, generated, idlFile, type ThriftUse, thriftToolsOf } from "./servers.js";

const connection = { port: 1 };

/** The schema of the arguments of the only method of a text. */
async function schemaOf(idl: string, options: Partial<ThriftUse> = {}): Promise<Record<string, unknown>> {
  const [tool] = await thriftToolsOf({ idl, connection, ...options });
  return tool?.inputSchema as Record<string, unknown>;
}

const messageOf = async (idl: string, options: Partial<ThriftUse> = {}): Promise<string> =>
  String(await rejection(thriftToolsOf({ idl, connection, ...options })));

describe("IDL", () => {
  it("may have all that the language has", async () => {
    const idl = `
      # a comment
      // another
      /* and one more */
      /**/
      namespace * all
      namespace py.twisted some.where ( a = "b" )
      cpp_include "<set>"
      php_namespace 'old'
      const map<string, list<i32>> LISTS = { "a": [1, 2; 3], 'b': [] }
      const double HALF = .5
      const bool YES = true
      senum Old { "one", "two" }
      enum Level { LOW, HIGH = 0x10, HIGHER; } (annotated)
      typedef map<string, list<i32>> cpp_type "x" Lists
      struct Empty xsd_all { }
      struct Inner { string implicit = "it's \\"so\\"\\n", other, 5: optional Level level = Level.HIGHER xsd_optional }
      exception Failed { 1: string why } (final)
      service Only {
        oneway void tell(1: Inner & inner, 2: Lists lists = LISTS; 3: double half = HALF, 4: bool yes = YES (x),
          5: Level level = 16, 6: Inner given = { "implicit": "b" }, 7: Old old, 8: binary bytes = "é"
          9: set<i64> ids = [1, 9223372036854775807], 10: map<i64, bool> flags = { 1: 0 }
          11: map<Inner, i8> inners = { { "other": "x" }: -1 }, 12: i32 minus = -0x1F, 13: list<Empty> none = {}) (async),
      }
    `
      .replace("string implicit", "string implicit")
      .replace(", other,", ", 3: string other,");
    const { properties, $defs } = await schemaOf(idl);
    expect(properties).toMatchObject({
      lists: { default: { a: [1, 2, 3], b: [] } },
      half: { default: 0.5 },
      yes: { default: true },
      level: { enum: ["LOW", "HIGH", "HIGHER"], default: "HIGH" },
      given: { default: { implicit: "b" } },
      old: { type: "string" },
      bytes: { default: "w6k=" },
      flags: { default: { "1": false } },
      inners: { default: [{ key: { other: "x" }, value: -1 }] },
      minus: { default: -31 },
      none: { default: [] },
    });
    expect($defs).toMatchObject({
      Inner: { properties: { implicit: { default: 'it\'s "so"\n' }, level: { default: "HIGHER" } } },
    });
  });

  it.each([
    ["a character that does not belong there", "service A {\n  void f() %\n}", 'idl:2:12: unexpected character "%".'],
    ["a text without an end", 'const string A = "b\nservice A {}', "idl:1:18: this text has no end on its line."],
    ["a comment without an end", "service A {}\n/* so", "idl:2:1: this comment has no end."],
    ["an escape that does not exist", 'const string A = "\\q"', "idl:1:18: this text has the unknown escape \\q."],
    ["a missing brace", "service A {\n  void f()", "idl:2:11: expected a type, but found the end."],
    ["a missing type", "struct A { 1: }", 'idl:1:15: expected a type, but found "}".'],
    ["a missing colon", "struct A { 1 i32 a }", 'idl:1:14: expected ":", but found "i32".'],
    ["a word that defines nothing", "klass A {}", "idl:1:1: expected a definition"],
    ["an id of nothing", "struct A { 0: i32 a }", "idl:1:12: the id of a field must be 1 to 32767, not 0."],
    ["an id that is there twice", "struct A { 1: i32 a, 1: i32 b }", '"b" has the id 1, which is that of "a".'],
    ["a field that is there twice", "struct A { 1: i32 a, 2: i32 a }", '"a" is defined twice: also at idl:1:19.'],
    ["a definition that is there twice", "struct A {}\nenum A {}", 'idl:2:6: "A" is defined twice: also at idl:1:8.'],
    ["a method that is there twice", "service A { void f() void f() }", '"f" is defined twice'],
    ["an unknown type", "service A { Nix f() }", 'idl:1:13: "Nix" is not defined. Defined: "A".'],
    ["a service as a type", "service A { A f() }", '"A" is a service, but a type is expected.'],
    ["a struct as a base", "struct B {} service A extends B {}", '"B" is a struct, but a service is expected.'],
    ["a base that is itself", "service A extends A {}", 'the service "A" extends itself.'],
    ["a type that is itself", "typedef A B typedef B A service C { A f() }", "refers to itself."],
    [
      "an exception that is none",
      "struct E {} service A { void f() throws (1: E e) }",
      '"e" is thrown, but is not an exception.',
    ],
    ["a oneway method with a result", "service A { oneway i32 f() }", 'the oneway method "f" has no answer'],
    [
      "a default of another type",
      'service A { void f(1: i32 a = "x") }',
      "idl:1:31: this value does not fit the type i32.",
    ],
    ["an unknown constant", "service A { void f(1: i32 a = B) }", '"B" is not defined.'],
    ["an enum that is too large", "enum A { B = 4294967296 }", "4294967296 does not fit in the 32 bits of an enum."],
    ["no service", "struct A {}", "idl has no service"],
    ["several services", "service A {} service B {}", 'Choose one with serviceName: "A", "B".'],
    ["an include that is not there", 'include "b.thrift"', 'idl:1:1: the included file "b.thrift" cannot be found.'],
  ])("is refused with its place: %s", async (_what, idl, expected) => {
    expect(await messageOf(idl)).toContain(expected);
  });

  it("takes what it includes from texts, with names of its own", async () => {
    const includes = {
      "lib/base.thrift": 'include "deep.thrift" typedef deep.Id Id service Base { deep.Id get(1: Id id) }',
      "deep.thrift": "typedef i16 Id const Id FIRST = 7",
    };
    const idl =
      'include "lib/base.thrift" include "deep.thrift" service S extends base.Base { void f(1: base.Id a = deep.FIRST) }';
    const tools = await thriftToolsOf({ idl, includes, connection });
    expect(tools.map(({ id }) => id)).toEqual(["f", "get"]);
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { a: { maximum: 32_767, default: 7 } } });
    expect(
      await messageOf('include "a.thrift" service S {}', { includes: { "a.thrift": 'include "a.thrift"' } }),
    ).toContain('a.thrift:1:1: "a.thrift" includes itself');
    expect(
      await messageOf('include "a.thrift" service S { a.X f() }', { includes: { "a.thrift": "struct Y {}" } }),
    ).toContain('"a.X" is not defined. Defined: "Y". Includes: "a".');
  });

  it("takes defaults of structs that contain each other", async () => {
    const idl = `
      struct B { 1: i32 x, 2: optional A a }
      struct A { 1: B b = { "x": 1 } }
      service S { void f(1: B b) }
    `;
    expect((await schemaOf(idl)).$defs).toMatchObject({ A: { properties: { b: { default: { x: 1 } } } } });
  });

  it("comes from files, with includes beside them and in other folders", async () => {
    const root = mkdtempSync(join(tmpdir(), "kumiko-thrift-"));
    closeLater(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, "lib"));
    writeFileSync(join(root, "a.thrift"), 'include "b.thrift" service S { b.T f() }');
    writeFileSync(join(root, "lib", "b.thrift"), 'include "../c.thrift" typedef c.T T');
    writeFileSync(join(root, "c.thrift"), "struct T {");
    const file = join(root, "a.thrift");
    expect(String(await rejection(thriftToolsOf({ idlFile: file, connection })))).toContain("includeFolders");
    const options = { idlFile: pathToFileURL(file), includeFolders: [join(root, "lib")], connection };
    expect(String(await rejection(thriftToolsOf(options)))).toContain("c.thrift:1:11: expected a type");
    writeFileSync(join(root, "c.thrift"), "struct T { 1: i32 a }");
    expect((await thriftToolsOf(options))[0]?.outputSchema).toMatchObject({ $defs: { T: {} } });
    const missing = thriftToolsOf({ idlFile: join(root, "none.thrift"), connection });
    expect(String(await rejection(missing))).toMatch(/cannot read .*none\.thrift: ENOENT/);
  });
});

describe("options", () => {
  const refused = async (options: object): Promise<unknown> =>
    rejection(thriftToolsOf({ idlFile, connection, ...options } as ThriftUse));

  it.each<[string, object, string]>([
    ["two definitions", { idl: "service A {}" }, "exactly one of service (a module that the compiler generated), idl"],
    ["none", { idlFile: undefined }, "but got none"],
    ["an unknown name", { filter: () => true }, 'Unknown option "filter" of the source of thriftTools.'],
    ["a list of unknown methods", { include: ["plaice"] }, 'include of thriftTools names "plaice"'],
    ["an unknown service", { serviceName: "Shoe" }, 'has no service "Shoe". Services: "Shop".'],
    ["no connection", { connection: undefined }, "thriftTools needs connection"],
    ["a connection to nowhere", { connection: {} }, "thriftTools needs connection"],
    ["a port that is none", { connection: { port: 0 } }, "port must be a number of 1 to 65535, but is 0."],
    [
      "an unknown transport",
      { connection: { port: 1, transport: "http" } },
      'transport must be "buffered" or "framed"',
    ],
    ["an unknown protocol", { connection: { port: 1, protocol: "bin" } }, 'protocol must be "binary" or "compact" or'],
    ["headers of a socket", { connection: { port: 1, headers: {} } }, 'Unknown option "headers" of thriftConnection'],
    ["an address that is none", { connection: { url: "shop" } }, "url must be an http or https address"],
    [
      "a password in an address",
      { connection: { url: "http://a:b@c" } },
      "accepts no user name or password in an address",
    ],
    ["an approval of no tool", { requireApproval: { plaice: true } }, 'names "plaice", which is not a tool'],
    ["folders without a file", { idl: "service A {}", idlFile: undefined, includeFolders: [] }, "beside idlFile"],
    [
      "a service that is none",
      { idlFile: undefined, service: { Order: class {} } },
      "must be a module that the Thrift compiler",
    ],
  ])("are refused: %s", async (_what, options, expected) => {
    const error = await refused(options);
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(String(error)).toContain(expected);
    expect(String(error)).not.toContain("a:b@");
  });

  it("may name the service of several, and ask before calls", async () => {
    const idl = "service A { void a() } service B extends A { void b() }";
    const tools = await thriftToolsOf({ idl, serviceName: "B", connection, requireApproval: { b: true } });
    expect(tools.map(({ id }) => id)).toEqual(["b", "a"]);
  });
});

describe("generated code", () => {
  it("says the same in all flavours of the compiler", async () => {
    const of = async (flavour: "es5" | "es6") =>
      (await thriftToolsOf({ service: generated(flavour), connection })).map(
        ({ id, metadata, inputSchema, outputSchema }) => {
          return { id, metadata, inputSchema, outputSchema };
        },
      );
    const sorted = (tools: readonly { id: string }[]) =>
      [...tools].sort((one, other) => one.id.localeCompare(other.id));
    expect(sorted(await of("es6"))).toEqual(sorted(await of("es5")));
  });

  it("says the same as the IDL, but for what it does not hold", async () => {
    const byName = async (options: Pick<ThriftUse, "service" | "idlFile">) =>
      Object.fromEntries((await thriftToolsOf({ ...options, connection })).map((tool) => [tool.id, tool]));
    const fromCode = await byName({ service: generated("es6") });
    const fromIdl = await byName({ idlFile: join(folder, "shop.thrift") });
    expect(Object.keys(fromCode).sort()).toEqual(Object.keys(fromIdl).sort());
    for (const [name, tool] of Object.entries(fromIdl)) {
      expect(fromCode[name]?.metadata).toEqual(tool.metadata);
      expect(shapeOf(fromCode[name]?.inputSchema)).toEqual(shapeOf(tool.inputSchema));
      expect(shapeOf(fromCode[name]?.outputSchema)).toEqual(shapeOf(tool.outputSchema));
    }
  });
});

/** What both know: names, types and parts. An enum is a number to generated code, and a union a struct. */
function shapeOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (typeof schema !== "object" || schema === null) return schema;
  const fields: Record<string, unknown> = { ...schema };
  if (fields.enum !== undefined || String(fields.type) === "string,integer") return "enum";
  if (fields.type === "integer" && fields.maximum === 2_147_483_647) return "enum";
  for (const name of ["description", "default", "required", "minProperties", "maxProperties", "propertyNames"])
    delete fields[name];
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shapeOf(value)]));
}
