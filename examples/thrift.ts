// Tools from a Thrift service: its IDL describes them, and the official package carries the calls. The server here uses
// that package too. The compiler would normally generate its Processor; this one is handwritten to keep it short.
// expect: 9007199254740994
// expect: Stock.take threw OutOfStock: {"sku":"cedar","left":1}
import type { AddressInfo } from "node:net";
import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  findCause,
  functionToolCall,
  ToolCallError,
  toolResultsOf,
} from "kumiko";
import { thriftConnection, thriftTools } from "kumiko/thrift";
import { createServer, Int64, TBufferedTransport, Thrift, type TProtocol } from "thrift";

const idl = `
exception OutOfStock { 1: string sku, 2: i32 left }

service Stock {
  /** Takes boards from the stock, and says how many there are left. */
  i64 take(1: string sku, 2: i32 count) throws (1: OutOfStock out)
}`;

class StockProcessor {
  process(input: TProtocol, output: TProtocol): void {
    const { fname, rseqid } = input.readMessageBegin();
    input.readStructBegin();
    input.readFieldBegin();
    const sku = input.readString();
    input.skip(input.readFieldBegin().ftype);
    input.readFieldBegin();
    output.writeMessageBegin(fname, Thrift.MessageType.REPLY, rseqid);
    if (sku === "cedar") writeOutOfStock(output, sku);
    else {
      output.writeFieldBegin("success", Thrift.Type.I64, 0);
      output.writeI64(new Int64(0x200000, 2)); // 2 ** 53 + 2: a JavaScript number cannot represent all integers of this size
      output.writeFieldEnd();
    }
    output.writeFieldStop();
    output.writeMessageEnd();
    output.flush();
  }
}

function writeOutOfStock(output: TProtocol, sku: string): void {
  output.writeFieldBegin("out", Thrift.Type.STRUCT, 1);
  output.writeFieldBegin("sku", Thrift.Type.STRING, 1);
  output.writeString(sku);
  output.writeFieldBegin("left", Thrift.Type.I32, 2);
  output.writeI32(1);
  output.writeFieldStop();
  output.writeFieldEnd();
}

const server = createServer(StockProcessor, {}, { transport: TBufferedTransport });
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;

const connection = thriftConnection({ host: "127.0.0.1", port });
const tools = new AgenticToolsNode(await thriftTools({ idl, connection }, { timeoutMs: 5_000 }));
const taking = new Chain<string>()
  .append((sku) =>
    assistantMessage([functionToolCall({ callId: "1", name: "take", arguments: JSON.stringify({ sku, count: 2 }) })]),
  )
  .appendToolsNode(tools)
  .append((messages) => messages.flatMap(toolResultsOf).map(({ result }) => result))
  .compile();

console.log(...(await taking.invoke("hinoki")));

try {
  await taking.invoke("cedar");
} catch (error) {
  console.log(findCause(error, ToolCallError)?.message);
}

await connection.close?.();
server.close();
