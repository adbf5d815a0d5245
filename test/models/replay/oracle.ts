type Part = Readonly<Record<string, unknown>>;

/** What a package would have given as a whole, worked out from the parts that it has streamed. */
export interface WholeAnswer {
  readonly content: Part[];
  readonly response: Part;
  readonly finishes: Part[];
  readonly errors: unknown[];
}

interface OpenText {
  type: string;
  text: string;
  providerMetadata?: unknown;
  citations?: unknown;
}

/** Written without a look at the adapter: texts by their ids, the last metadata counts, everything else as it is. */
export function wholeAnswer(parts: readonly Part[]): WholeAnswer {
  const slots: { part: Part | undefined }[] = [];
  const open = new Map<string, OpenText>();
  const calls = new Map<string, { slot: { part: Part | undefined }; metadata: unknown }>();
  const results = new Map<string, { part: Part | undefined }>();
  let response: Part = {};
  const finishes: Part[] = [];
  const errors: unknown[] = [];
  const place = (part: Part | undefined): { part: Part | undefined } => {
    const slot = { part };
    slots.push(slot);
    return slot;
  };
  for (const part of parts) {
    const { type, id, providerMetadata } = part as { type: string; id?: string; providerMetadata?: unknown };
    const [kind = ""] = type.split("-");
    const key = `${kind}:${id}`;
    if (type === "text-start" || type === "reasoning-start") {
      const text: OpenText = { type: kind, text: "" };
      if (providerMetadata !== undefined) text.providerMetadata = providerMetadata;
      open.set(key, text);
      place(text as unknown as Part);
    } else if (/^(text|reasoning)-(delta|end)$/.test(type)) {
      const text = open.get(key);
      if (text === undefined) throw new Error(`${type} of no text`);
      if (type.endsWith("delta")) text.text += String(part.delta);
      if (providerMetadata !== undefined) text.providerMetadata = providerMetadata;
      if (part.citations !== undefined) text.citations = part.citations;
    } else if (type === "tool-input-start") {
      calls.set(String(id), { slot: place(undefined), metadata: providerMetadata });
    } else if (type === "tool-input-delta" || type === "tool-input-end") {
      const call = calls.get(String(id));
      if (call !== undefined && providerMetadata !== undefined) call.metadata = providerMetadata;
    } else if (type === "tool-call") {
      const begun = calls.get(String(part.toolCallId));
      calls.delete(String(part.toolCallId));
      const whole = begun?.metadata === undefined ? part : { providerMetadata: begun.metadata, ...part };
      if (begun === undefined) place(whole);
      else begun.slot.part = whole;
    } else if (type === "tool-result") {
      const before = results.get(String(part.toolCallId));
      if (before === undefined) results.set(String(part.toolCallId), place(part));
      else before.part = part;
    } else if (type === "response-metadata") {
      response = { ...response, ...part };
    } else if (type === "finish") finishes.push(part);
    else if (type === "error") errors.push(part.error);
    else if (!["stream-start", "raw", "ping"].includes(type)) place(part);
  }
  return { content: slots.flatMap(({ part }) => (part === undefined ? [] : [part])), response, finishes, errors };
}
