/** What useChat sends for a new message. */
export function promptOf(id: string, text: string, messageId = text): string {
  return JSON.stringify({ id, messages: [{ id: messageId, role: "user", parts: [{ type: "text", text }] }] });
}

export const post = (body: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body,
});

/** The text of an answer as it was streamed. */
export function textIn(events: string): string {
  const deltas = [...events.matchAll(/^data: (\{"type":"text-delta".*\})$/gm)];
  return deltas.map(([, data = "{}"]) => (JSON.parse(data) as { delta: string }).delta).join("");
}

/** What the messages of a chat say. */
export function said(messages: unknown): string[] {
  const all = messages as { role: string; parts: { type: string; text?: string }[] }[];
  return all.map(({ role, parts }) => `${role}: ${parts.map(({ text = "" }) => text).join("")}`);
}

/** Reads a stream until its text contains something; what follows can be read on. */
export async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<void> {
  const decoder = new TextDecoder();
  for (let seen = ""; !textIn(seen).includes(text); ) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The stream has ended: ${seen}`);
    seen += decoder.decode(value, { stream: true });
  }
}
