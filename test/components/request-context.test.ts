import { contextKey, RequestContext } from "kumiko";
import { expect, it } from "vitest";

const user = contextKey<{ readonly name: string }>("user");
const ada = { name: "Ada" };

it("finds and deletes a value by its key, and by the name of the key", () => {
  const context = new RequestContext().set(user, ada);
  expect([context.has(user), context.has("user"), context.get(user), context.get("user")]).toEqual([
    true,
    true,
    ada,
    ada,
  ]);
  expect([context.delete(user), context.has(user)]).toEqual([true, false]);
});

it("starts with the entries of a record, or with pairs of a name or key and a value", () => {
  const made = [
    new RequestContext({ user: ada, locale: "en" }),
    new RequestContext([
      [user, ada],
      ["locale", "en"],
    ]),
  ];
  for (const context of made)
    expect([...context]).toEqual([
      ["user", ada],
      ["locale", "en"],
    ]);
});
