import { isFields } from "../../is.js";
import type { McpToolDefinition } from "../../tools/mcp/mcp-client.js";

/**
 * SHA-256 of the parts of a tool definition that models and users see, as canonical JSON. Equal definitions have equal
 * fingerprints.
 */
export function fingerprintOf(definition: McpToolDefinition): string | Promise<string> {
  const { name, description, inputSchema, outputSchema, annotations } = definition;
  const text = canonicalJson({ name, description, inputSchema, outputSchema, annotations });
  return nodeCrypto()?.hash?.("sha256", text, "hex") ?? digestOf(text);
}

interface NodeCrypto {
  hash?(algorithm: "sha256", text: string, encoding: "hex"): string;
}

/** Node.js hashes synchronously, which is much faster than Web Crypto with its thread hop per digest. */
function nodeCrypto(): NodeCrypto | undefined {
  const { process }: { process?: { getBuiltinModule?: (name: string) => unknown } } = globalThis;
  return process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined;
}

async function digestOf(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** JSON with sorted keys, without undefined fields and without spaces. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isFields(value)) return JSON.stringify(value) ?? "null";
  let text = "";
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}
