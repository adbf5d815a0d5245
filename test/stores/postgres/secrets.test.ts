import { describe, expect, it } from "vitest";
import { secretHider } from "../../../src/stores/postgres/secrets.js";

describe("secretHider", () => {
  it.each([
    ["postgres://me:tiger@host/db", "the password is tiger", "the password is ***"],
    ["postgres://me:ti%2Fger@host/db", "it is ti/ger or ti%2Fger", "it is *** or ***"],
    [
      "postgres://me:5432/tiger@host/db",
      'database "tiger@host/db" does not exist',
      'database "***@host/db" does not exist',
    ],
    ["postgres://me:ti@ger@host/db", "it is ti@ger", "it is ***"],
    ["postgres:///db?user=me&password=tiger&host=/tmp", "it is tiger", "it is ***"],
    ["postgres://me:tiger@host/db", "no postgres://me:tiger@host/db there", "no *** there"],
  ])("hides what is secret in %s", (connectionString, text, hidden) => {
    expect(secretHider(connectionString)(text)).toBe(hidden);
  });

  it.each(["postgres://me@host/db", "postgres:///db", "not a url", "/tmp/socket db"])(
    "hides nothing but itself in %s",
    (url) => {
      const text = 'me cannot reach host or /tmp for the database "db"';
      expect(secretHider(url)(text)).toBe(text);
      expect(secretHider(url)(`what is ${url}?`)).toBe("what is ***?");
    },
  );

  it("hides nothing when there is no connection string", () => {
    expect(secretHider(undefined)("tiger")).toBe("tiger");
  });
});
