import { Chain, type CompileOptions } from "kumiko";
import { z } from "zod";

/** A chain that shouts, and asks two questions at once. */
export function orderApp(options: CompileOptions, log: string[] = [], expiresMs?: number) {
  return new Chain<string>()
    .append(
      (text) => {
        log.push("shout");
        if (text === "broken") throw new Error("It is broken.");
        return text.toUpperCase();
      },
      { key: "shout" },
    )
    .append(
      async (text, ctx) => {
        const [send, wrap] = await Promise.all([
          ctx.ask("send", { text }, z.boolean(), { expiresMs }),
          ctx.ask("wrap", "In what?", z.string()),
        ]);
        log.push("send");
        return `${send ? "sent" : "kept"} ${text} in ${wrap}`;
      },
      { key: "send" },
    )
    .compile({ name: "order", ...options });
}

/** A chain without questions. */
export function shoutApp(options: CompileOptions<"shout">) {
  return new Chain<string>()
    .append((text) => text.toUpperCase(), { key: "shout" })
    .compile({ name: "shout", ...options });
}
