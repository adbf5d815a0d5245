import { memoryStore } from "kumiko";
import { createAgent, guard, piiGuard } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../agents.js";

async function cleared(text: string, options?: Parameters<typeof piiGuard>[0]): Promise<string> {
  const { output } = piiGuard({ on: ["output"], ...options });
  const verdict = await output?.(text, { done: true }, undefined as never);
  return (verdict as { replace?: string } | undefined)?.replace ?? text;
}

describe("piiGuard", () => {
  it.each([
    ["Write to ann.b+x@mail.example.co.uk.", "Write to [email]."],
    ["mailto:jörg@müller.de!", "mailto:[email]!"],
    ["Call +49 170 1234567 or (030) 901820-0.", "Call [phone] or [phone]."],
    ["Call 555-123-4567 now", "Call [phone] now"],
    ["Card 4111 1111 1111 1111 123", "Card [card] 123"],
    ["Card 5500-0055-5555-5559.", "Card [card]."],
    ["Pay to DE89 3704 0044 0532 0130 00 TODAY", "Pay to [iban] TODAY"],
    ["GB82WEST12345698765432", "[iban]"],
    ["From 192.168.0.1 and 2001:db8::ff00:42:8329.", "From [ip] and [ip]."],
    ["::1 is home", "[ip] is home"],
  ])("replaces %s", async (text, expected) => {
    expect(await cleared(text)).toBe(expected);
  });

  it.each([
    "It is 12:30:45 on 2026-11-28.",
    "On 28.11.2026 and 11/28/2026",
    "Version 1.2.3.4.5, chapter 10.4",
    "Order 1234567890123 has 4111111111111112 points",
    "A price of 1,234,567.89 or 1234567",
    "user@localhost and @ann",
    "std::vector, a::b",
    "std:: and ::",
  ])("leaves %s as it is", async (text) => {
    expect(await cleared(text)).toBe(text);
  });

  it("takes kinds, places and patterns", async () => {
    expect(await cleared("a@b.de 192.168.0.1", { kinds: ["ip"] })).toBe("a@b.de [ip]");
    expect(await cleared("E-12345 E-99999", { kinds: [], patterns: { employee: /E-\d{5}/ } })).toBe(
      "[employee] [employee]",
    );
    expect(piiGuard({ on: ["input"] }).output).toBeUndefined();
    expect(piiGuard().toolCall).toBeUndefined();
    for (const options of [{ kinds: ["mail"] }, { on: [] }, { kinds: [] }, { patterns: { a: "b" } }, { kind: 1 }])
      expect(() => piiGuard(options as never)).toThrow(/piiGuard|kind/);
  });

  it("makes the same of every split of a streamed answer", async () => {
    const filler = (length: number) => "All is well. ".repeat(100).slice(0, length);
    const text = `${filler(195)} ann@example.com ${filler(180)}+49 170 1234567${filler(210)}${"7".repeat(300)} 4111 1111 1111 1111`;
    const expected = await cleared(text);
    expect(expected).toContain("[email]");
    expect(expected).toContain("[card]");
    for (let at = 1; at < text.length; at += 5) {
      const parts = [text.slice(0, at), ...(text.slice(at).match(/.{1,17}/g) ?? [])].map((part) => ({
        role: "assistant" as const,
        contentBlocks: [{ type: "assistant_gen_text" as const, text: part, streamingMeta: { index: 0 } }],
      }));
      const stream = createAgent({ model: scriptedModel(parts), middleware: [guard(piiGuard())] }).stream("Hi");
      const deltas = (await eventsOf(stream)).flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
      expect(deltas.join("")).toBe(expected);
      expect((await stream.result).text).toBe(expected);
    }
  });

  it("keeps what users write out of the store, also in the history of a thread", async () => {
    const store = memoryStore();
    const model = scriptedModel("Thanks.");
    const agent = createAgent({ model, store, middleware: [guard(piiGuard())] });
    await agent.generate("I am ann@example.com", { threadId: "t" });
    const rows: string[] = [];
    for await (const key of store.list("~")) rows.push(new TextDecoder().decode((await store.get(key))?.data));
    expect(rows.join("\n")).toContain("I am [email]");
    expect(rows.join("\n")).not.toContain("ann@");
    expect(JSON.stringify(model.calls[0]?.messages)).toContain("[email]");
  });
});
