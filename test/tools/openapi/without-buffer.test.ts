import { openApiTools } from "kumiko/openapi";
import { expect, it } from "vitest";
import { errorOf } from "../../run/rejected-by.js";

it("says what is missing where the runtime has no Buffer", async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "Buffer");
  if (own === undefined) throw new Error("This runtime has no Buffer.");
  Reflect.deleteProperty(globalThis, "Buffer");
  const made = openApiTools({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {} });
  const error = await errorOf(made).finally(() => Object.defineProperty(globalThis, "Buffer", own));
  expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining("global Buffer") });
});
