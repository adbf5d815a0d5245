import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32, deflateRawSync } from "node:zlib";
import { directoryLoader, fileLoader, webLoader } from "kumiko/rag/files";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { isPrivateAddress } from "../../../src/rag/files/private-address.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-loaders-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** An archive of one file, which says of itself what it likes. */
function zip(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(typeof crc32 === "function" ? crc32(content) : 0, 14);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(content.length, 22);
  header.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  header.copy(central, 6, 4, 30);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + packed.length, 16);
  return Buffer.concat([header, Buffer.from(name), packed, central, Buffer.from(name), end]);
}

const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 40>>stream
BT /F 12 Tf 10 100 Td (Hello Kumiko) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>`;

describe("fileLoader", () => {
  it("reads texts as they are, with their type", async () => {
    const uri = write("a.md", "\ufeff# Ä\r\n");
    expect(await fileLoader().load({ uri })).toEqual([
      { id: uri, content: "\ufeff# Ä\r\n", metadata: { uri, mimeType: "text/markdown" } },
    ]);
    const [document] = await fileLoader().load({ uri: pathToFileURL(uri).href });
    expect(document?.content).toBe("\ufeff# Ä\r\n");
    const utf16 = write("b.txt", Buffer.from("\ufeffÄ世", "utf16le"));
    expect((await fileLoader().load({ uri: utf16 }))[0]?.content).toBe("\ufeffÄ世");
  });

  it("refuses what is no text, is not there, or is too large", async () => {
    const load = (uri: string) => fileLoader({ maxBytes: 10 }).load({ uri });
    await expect(load(write("x.bin", Uint8Array.of(0xc3, 0x28)))).rejects.toMatchObject({ code: "LOAD_FAILED" });
    await expect(load(write("y.bin", "a\0b"))).rejects.toThrow(/not text/);
    await expect(load(write("z.txt", "a".repeat(11)))).rejects.toThrow(/larger than/);
    await expect(load(join(folder, "none"))).rejects.toMatchObject({ code: "LOAD_FAILED" });
    await expect(load(folder)).rejects.toMatchObject({ code: "LOAD_FAILED" });
  });

  it("reads the text of a PDF", async () => {
    const [document] = await fileLoader().load({ uri: write("a.pdf", pdf) });
    expect(document).toMatchObject({ content: "Hello Kumiko", metadata: { mimeType: "application/pdf" } });
    await expect(fileLoader().load({ uri: write("bad.pdf", "no") })).rejects.toMatchObject({ code: "LOAD_FAILED" });
  });

  it("refuses a DOCX that unpacks to more than 100 MB, before it does", async () => {
    const bomb = zip("word/document.xml", Buffer.alloc(120_000_000));
    await expect(fileLoader().load({ uri: write("bomb.docx", bomb) })).rejects.toThrow(/unpacks to more than 100 MB/);
    const other = zip("other.xml", Buffer.from("<a/>"));
    await expect(fileLoader().load({ uri: write("other.docx", other) })).rejects.toMatchObject({ code: "LOAD_FAILED" });
  });
});

it("loaders run with a partial context", async () => {
  const uri = write("alone.txt", "a");
  const signal = AbortSignal.abort(new Error("stopped"));
  expect(await fileLoader().load({ uri }, {})).toHaveLength(1);
  await expect(fileLoader().load({ uri }, { signal })).rejects.toThrow("stopped");
  const files = directoryLoader({ extensions: ["alone.txt"], onError: "skip" });
  expect(await files.load({ uri: folder }, {})).toHaveLength(1);
  await expect(files.load({ uri: folder }, { signal })).rejects.toThrow("stopped");
  await expect(webLoader().load({ uri: "ftp://example.com" }, {})).rejects.toMatchObject({ code: "LOAD_FAILED" });
  const stopped = webLoader({ allowPrivate: true }).load({ uri: "http://127.0.0.1:9/" }, { signal });
  await expect(stopped).rejects.toThrow();
});

describe("directoryLoader", () => {
  const root = join(folder, "tree");
  mkdirSync(join(root, "sub", "node_modules"), { recursive: true });
  writeFileSync(join(root, "b.md"), "b");
  writeFileSync(join(root, "a.txt"), "a");
  writeFileSync(join(root, ".hidden"), "hidden");
  writeFileSync(join(root, "sub", "c.md"), "c");
  writeFileSync(join(root, "sub", "node_modules", "d.md"), "d");
  writeFileSync(join(folder, "secret.md"), "secret");
  symlinkSync(join(folder, "secret.md"), join(root, "link.md"));
  symlinkSync(folder, join(root, "out"));
  symlinkSync(root, join(root, "sub", "loop"));
  symlinkSync(join(root, "nowhere"), join(root, "dead.md"));

  it("reads what is in the folder, in order, and nothing outside", async () => {
    const documents = await directoryLoader().load({ uri: root });
    expect(documents.map(({ content }) => content)).toEqual(["a", "b", "c"]);
    expect(documents[2]?.id).toBe(`${root}/sub/c.md`);
  });

  it("takes the files that are wanted", async () => {
    const names = async (options: Parameters<typeof directoryLoader>[0]) =>
      (await directoryLoader(options).load({ uri: root })).map(({ content }) => content);
    expect(await names({ extensions: [".md"] })).toEqual(["b", "c"]);
    expect(await names({ recursive: false })).toEqual(["a", "b"]);
    expect(await names({ ignore: (path) => path !== "sub" && !path.endsWith("c.md") })).toEqual(["c"]);
  });
});

describe("webLoader", () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }
  const load = (uri: string, options = {}) => webLoader({ allowPrivate: true, ...options }).load({ uri });

  it("reads a page with its type and encoding", async () => {
    const url = await serve((_, answer) =>
      answer.setHeader("content-type", "text/html; charset=iso-8859-1").end(Buffer.from("<p>\xe4</p>", "latin1")),
    );
    expect(await load(`${url}/a`)).toEqual([
      { id: `${url}/a`, content: "<p>ä</p>", metadata: { uri: `${url}/a`, mimeType: "text/html" } },
    ]);
  });

  it("refuses addresses of this machine, whichever way they are written", async () => {
    const url = await serve((_, answer) => answer.end("secret"));
    const port = new URL(url).port;
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0.0.0.0"]) {
      await expect(webLoader().load({ uri: `http://${host}:${port}/` })).rejects.toMatchObject({ code: "LOAD_FAILED" });
    }
  });

  it("reads five redirects, not six, and only http and https", async () => {
    const url = await serve(({ url: path = "" }, answer) => {
      const left = Number(path.slice(1));
      if (left === 0) answer.setHeader("content-type", "text/plain").end("there");
      else if (left > 99) answer.writeHead(302, { location: "file:///etc/passwd" }).end();
      else answer.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await load(`${url}/5`))[0]?.content).toBe("there");
    await expect(load(`${url}/6`)).rejects.toThrow(/more than 5 times/);
    await expect(load(`${url}/100`)).rejects.toThrow(/only http and https/);
    await expect(load("ftp://example.com")).rejects.toThrow(/only http and https/);
    await expect(load("no url")).rejects.toThrow(/is not a URL/);
  });

  it("stops at ten megabytes, an error of the server, and its time limit", async () => {
    const url = await serve(({ url: path }, answer) => {
      if (path === "/slow") return;
      if (path === "/missing") answer.writeHead(404).end();
      else answer.end(Buffer.alloc(10_000_001, "a"));
    });
    await expect(load(`${url}/large`)).rejects.toThrow(/larger than 10 MB/);
    await expect(load(`${url}/missing`)).rejects.toThrow(/answered with status 404/);
    await expect(load(`${url}/slow`, { timeoutMs: 50 })).rejects.toMatchObject({
      code: "LOAD_FAILED",
      message: expect.stringMatching(/slow" cannot be loaded: it took longer than 50 ms\. Increase timeoutMs/),
    });
  });

  it("knows private addresses", () => {
    const secret = [
      "10.1.2.3",
      "172.31.0.1",
      "192.168.0.1",
      "169.254.169.254",
      "100.64.0.1",
      "fe80::1",
      "fd00::1",
      "::",
    ];
    const inside = ["::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::7f00:1", "224.0.0.1", "no address"];
    for (const address of [...secret, ...inside]) expect([address, isPrivateAddress(address)]).toEqual([address, true]);
    for (const address of ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808"]) {
      expect([address, isPrivateAddress(address)]).toEqual([address, false]);
    }
  });
});
