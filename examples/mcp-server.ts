// expect: tools: list_files, count_lines, package_info, ask_folder
// expect: The agent answered.
// Serves the demo's tools and agent over MCP. `npx tsx examples/mcp-server.ts stdio` is the command for a host; `npx
// tsx examples/mcp-server.ts 1234` listens on that port. Without an argument, it calls itself and exits.
import { RequestContext } from "kumiko";
import { connectMcp, MCPServer } from "kumiko/mcp";
import { guideAgent } from "./demo/agents.js";
import { Folder, folderKey } from "./demo/files/folder.js";
import { localModel } from "./demo/local-model.js";
import { countLines } from "./demo/tools/count-lines.js";
import { listFiles } from "./demo/tools/list-files.js";
import { packageInfo } from "./demo/tools/package-info.js";

const folder = await Folder.open(".");
const agent = guideAgent(localModel());

const server = new MCPServer({
  name: "Folder",
  version: "1.0.0",
  instructions: "Answers questions about the files of one folder.",
  tools: [listFiles, countLines, packageInfo],
  agents: {
    folder: {
      name: "folder",
      description: "Answers questions about the files of one folder.",
      generate: async (question: string) => {
        const requestContext = new RequestContext().set(folderKey, folder);
        return (await agent.generate(question, { requestContext })).text;
      },
    },
  },
  requestContext: { [folderKey.name]: folder },
});

const [, , where] = process.argv;
if (where === "stdio") await server.startStdio();
else if (where !== undefined) console.log((await server.listen({ port: Number(where) })).url);
else await callItself();

async function callItself(): Promise<void> {
  const { url } = await server.listen({ port: 0 });
  const connection = await connectMcp({ folder: { url, prefix: false } });
  console.log(
    `tools: ${connection
      .tools()
      .map(({ id }) => id)
      .join(", ")}`,
  );
  const answer = await server.executeTool("ask_folder", { message: "How many files are there?" });
  console.log(answer === "" ? "The agent is silent." : "The agent answered.");
  await connection.close();
  await server.close();
}
