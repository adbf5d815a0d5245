// Values of one request (user, tenant, clients) are available in every node and tool without globals, typed by a key.
// expect: u-1 has 2 orders
// expect: guest has 0 orders
import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  contextKey,
  createTool,
  functionToolCall,
  RequestContext,
  toolResultsOf,
} from "kumiko";

interface Database {
  ordersOf(user: string): Promise<number>;
}
const userId = contextKey<string>("userId");
const database = contextKey<Database>("database");

const countOrders = createTool({
  id: "count_orders",
  description: "Counts the orders of the user. Whose they are is not for the model to say.",
  execute: async (_input, { requestContext }) => {
    const user = requestContext.get(userId) ?? "guest";
    return `${user} has ${(await requestContext.get(database)?.ordersOf(user)) ?? 0} orders`;
  },
});

const app = new Chain<string>()
  .append((callId) => assistantMessage(functionToolCall({ callId, name: "count_orders", arguments: "{}" })))
  .appendToolsNode(new AgenticToolsNode([countOrders]))
  .append((messages) => messages.flatMap(toolResultsOf)[0]?.result)
  .compile();

const requestContext = new RequestContext()
  .set(userId, "u-1")
  .set(database, { ordersOf: async (user) => (user === "u-1" ? 2 : 0) });
console.log(await app.invoke("1", { requestContext }));
console.log(await app.invoke("2"));
