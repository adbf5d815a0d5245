import type {
  MCPServerOptions,
  MCPServerResource,
  MCPServerResourceTemplate,
  MCPServerResource as Resource,
  MCPServerResourceTemplate as ResourceTemplate,
} from "kumiko/mcp";
import { expectTypeOf, it } from "vitest";

it("resources and their templates have the names of Mastra too", () => {
  expectTypeOf<Resource>().toEqualTypeOf<MCPServerResource>();
  expectTypeOf<ResourceTemplate>().toEqualTypeOf<MCPServerResourceTemplate>();
  const list: Resource[] = [{ uri: "file:///a.txt", name: "a", mimeType: "text/plain" }];
  expectTypeOf({ listResources: async () => list, getResourceContent: async () => ({ text: "" }) }).toExtend<
    NonNullable<MCPServerOptions["resources"]>
  >();
});

it("completions may be a list, or as MCP defines them", () => {
  type Completions = NonNullable<MCPServerOptions["completions"]>;
  expectTypeOf(async () => ["Ann"]).toExtend<Completions>();
  expectTypeOf(() => ({ values: ["Ann"], hasMore: true })).toExtend<Completions>();
  expectTypeOf(() => ({ completion: { values: ["Ann"] } })).not.toExtend<Completions>();
});
