import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { rejection } from "../node/calls.js";
import { oneOperation, sent, toolOf } from "./sent.js";
import { startService } from "./service.js";

const post = (content: object, more: object = {}) =>
  oneOperation({ requestBody: { content, required: true } }, more, "post");
const photo = new Uint8Array([0, 137, 255]);
const base64 = "AIn/";

async function bytesOf(part: FormDataEntryValue | null): Promise<Uint8Array> {
  return part instanceof Blob ? new Uint8Array(await part.arrayBuffer()) : expect.fail("no file");
}

describe("a multipart form", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
      owner: { type: "object" },
      photo: { $ref: "#/components/schemas/File" },
      more: { type: "array", items: { type: "string", format: "binary" } },
    },
    required: ["photo"],
  };
  const components = { schemas: { File: { type: "string", format: "binary", description: "A picture." } } };
  const encoding = { photo: { contentType: "image/png, image/jpeg" } };
  const document = post({ "multipart/form-data": { schema, encoding } }, { openapi: "3.0.3", components });

  it("has fields and files, which a model gives as base64", async () => {
    const tool = await toolOf(document);
    expect(tool.info.toJsonSchema()).toMatchObject({
      properties: { body: { description: "Given as base64: photo, more.", required: ["photo"] } },
      $defs: { File: { type: "string", contentEncoding: "base64", description: "A picture." } },
    });
    const body = { name: "Tama", age: 3, tags: ["a", "b"], owner: { id: 1 }, photo: base64, more: [base64, base64] };
    const request = await sent(document, { body });
    expect(request.headers.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
    const form = await request.formData();
    expect([form.get("name"), form.get("age"), form.getAll("tags"), form.get("owner")]).toEqual([
      "Tama",
      "3",
      ["a", "b"],
      '{"id":1}',
    ]);
    const file = form.get("photo");
    expect(file).toMatchObject({ name: "photo", type: "image/png" });
    expect(await bytesOf(file)).toEqual(photo);
    expect(form.getAll("more")).toHaveLength(2);
  });

  it("goes to a service as it is", async () => {
    const { baseUrl, received, close } = await startService();
    const tool = await toolOf(document, { baseUrl });
    await tool.invoke(JSON.stringify({ body: { photo: btoa("hello") } }), toolContext());
    close();
    expect(received[0]?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(received[0]?.body).toMatch(/name="photo"; filename="photo"\r\nContent-Type: image\/png\r\n\r\nhello\r\n/);
  });

  it("of 3.1 has files by their media types, and JSON parts where their encoding says so", async () => {
    const properties = {
      plan: { contentMediaType: "application/pdf" },
      scan: { type: "string", contentMediaType: "image/png", contentEncoding: "base64" },
      any: {},
      meta: { type: "object" },
      note: { type: "string", contentMediaType: "text/plain" },
    };
    const encoding = { any: { contentType: "application/octet-stream" }, meta: { contentType: "application/json" } };
    const form31 = post({ "multipart/form-data": { schema: { type: "object", properties }, encoding } });
    const body = { plan: base64, scan: base64, any: base64, meta: { a: 1 }, note: "hi" };
    const form = await (await sent(form31, { body })).formData();
    expect(await bytesOf(form.get("plan"))).toEqual(photo);
    expect(await bytesOf(form.get("any"))).toEqual(photo);
    // it says itself that it is sent as base64
    expect([form.get("scan"), form.get("note")]).toEqual([base64, "hi"]);
    const meta = form.get("meta");
    expect(meta).toMatchObject({ type: "application/json" });
    expect(new TextDecoder().decode(await bytesOf(meta))).toBe('{"a":1}');
  });

  it("is not sent with a file that is no base64", async () => {
    const error = await rejection(sent(document, { body: { photo: "no base64!" } }));
    expect(String(error)).toContain('"photo" must be base64');
    expect(String(error)).toContain("Nothing was sent");
  });
});

it("a form of which the document says nothing is an object of fields", async () => {
  const document = post({ "multipart/form-data": {} });
  const tool = await toolOf(document);
  expect(tool.info.toJsonSchema()).toMatchObject({ properties: { body: { type: "object" } } });
  expect((await (await sent(document, { body: { a: 1 } })).formData()).get("a")).toBe("1");
  const open = post({ "multipart/form-data": { schema: { description: "Anything." } } });
  expect(String(await rejection(sent(open, { body: "a" })))).toContain('"body" is "a". Nothing was sent.');
});

describe("a body that is a file", () => {
  it.each([
    ["image/png", "image/png"],
    ["image/*", "application/octet-stream"],
    ["application/octet-stream", "application/octet-stream"],
  ])("is base64 for the model, and bytes for the service: %s", async (given, mediaType) => {
    const document = post({ [given]: { schema: { type: "string", format: "binary" } } });
    expect((await toolOf(document)).info.toJsonSchema()).toMatchObject({
      properties: { body: { type: "string", contentEncoding: "base64" } },
      required: ["body"],
    });
    // without padding, and of the alphabet for addresses
    const request = await sent(document, { body: "AIn_" });
    expect(request.headers.get("content-type")).toBe(mediaType);
    expect(new Uint8Array(await request.arrayBuffer())).toEqual(photo);
  });
});

describe("a body that is a text", () => {
  it.each(["application/xml", "text/csv", "application/atom+xml", "application/yaml"])(
    "is sent as it is: %s",
    async (type) => {
      const request = await sent(post({ [type]: {} }), { body: "<a/>" });
      expect([request.headers.get("content-type"), await request.text()]).toEqual([type, "<a/>"]);
    },
  );
});

it("JSON comes before forms, and forms before files", async () => {
  const types = [
    "image/png",
    "text/plain",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "application/json",
  ];
  const chosen: (string | null)[] = [];
  for (const count of [5, 4, 3, 2]) {
    const content = Object.fromEntries(types.slice(0, count).map((type) => [type, {}]));
    const { headers } = await sent(post(content), { body: count === 2 ? "x" : {} });
    chosen.push(headers.get("content-type")?.split(";")[0] ?? null);
  }
  expect(chosen).toEqual([types[4], types[3], types[2], types[1]]);
});
