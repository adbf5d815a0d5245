import { type AgenticModel, assistantMessage, type Embedder, textOf } from "kumiko";
import { type ChunkOptions, type EmbeddingModelLike, MDocument, splitter } from "kumiko/rag";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const page = `
# Introduction
This is a sample document that we want to split into chunks.
 
## Section 1
Here is the first section with some content.
 
## Section 2 
Here is another section with different content.
`;

const lengths: Embedder = {
  component: "embedder",
  embed: async (texts) => texts.map((text) => [text.length, 1]),
};

function answering(answer: (question: string) => string): AgenticModel & { readonly questions: string[] } {
  const questions: string[] = [];
  const generate: AgenticModel["generate"] = async ([message]) => {
    const question = message === undefined ? "" : textOf(message);
    questions.push(question);
    return assistantMessage(answer(question));
  };
  return {
    component: "model",
    questions,
    generate,
    async *stream(messages, ctx) {
      yield await generate(messages, ctx);
    },
  };
}

describe("the examples of the page about chunk()", () => {
  it("split a document without options, and change nothing in it", async () => {
    const chunks = await MDocument.fromMarkdown(page).chunk();
    expect(chunks.map(({ text }) => text)).toEqual([
      "# Introduction\nThis is a sample document that we want to split into chunks.",
      "## Section 1\nHere is the first section with some content.",
      "## Section 2 \nHere is another section with different content.",
    ]);
  });

  it("extract headings, summaries and keywords", async () => {
    const model = answering((question) => (question.startsWith("List") ? "one\n- two\n3. three" : "In short."));
    const chunks = await MDocument.fromMarkdown(page).chunk({
      strategy: "markdown",
      headers: [
        ["#", "title"],
        ["##", "section"],
      ],
      extract: {
        model,
        summary: true, // Extract summaries with default settings
        keywords: true, // Extract keywords with default settings
      },
    });
    expect(chunks.map(({ metadata: { start: _, end: __, ...metadata } }) => metadata)).toEqual(
      [undefined, "Section 1", "Section 2"].map((section) => ({
        title: "Introduction",
        ...(section && { section }),
        summary: "In short.",
        keywords: ["one", "two", "three"],
      })),
    );
    expect(model.questions).toHaveLength(6);
  });

  it("take options of strategies at the top level", async () => {
    const markdown = await MDocument.fromMarkdown(page).chunk({
      strategy: "markdown",
      headers: [
        ["#", "title"],
        ["##", "section"],
      ],
      stripHeaders: true,
      overlap: 50,
    });
    expect(markdown[0]?.text).toBe("This is a sample document that we want to split into chunks.");
    const tokens = await MDocument.fromMarkdown(page).chunk({
      strategy: "token",
      encodingName: "gpt2",
      modelName: "gpt-3.5-turbo",
      size: 1000,
    });
    expect(tokens.map(({ text }) => text)).toEqual([page.trim()]);
  });
});

describe("a document", () => {
  it("is split as its type says", async () => {
    const first = async (source: Parameters<typeof MDocument.from>[0]) => (await MDocument.from(source).chunk())[0];
    expect((await first({ text: "<p>a</p>", uri: "a.html" }))?.text).toBe("a");
    expect((await first({ text: "<p>a</p>", mimeType: "text/html; charset=utf-8" }))?.text).toBe("a");
    expect((await first({ text: '{ "a": 1 }', uri: "https://example.com/a.json?x=1" }))?.text).toBe('{"a":1}');
    expect((await first({ text: "---\na: 1\n---\n# A", uri: "notes/a.md" }))?.metadata).toMatchObject({ a: 1 });
    expect((await first({ text: "<p>a</p>", uri: "a.txt" }))?.text).toBe("<p>a</p>");
  });

  it("gives chunks ids from its own, its uri, or its text", async () => {
    const ids = async (document: MDocument) => (await document.chunk()).map(({ id }) => id);
    expect(await ids(MDocument.fromText(" abc ", { id: "mine", uri: "x" }))).toEqual(["mine:1-4"]);
    expect(await ids(MDocument.fromText("abc", { uri: "docs/a.txt" }))).toEqual(["docs/a.txt:0-3"]);
    expect(await ids(MDocument.fromText("abc"))).toEqual([
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad:0-3",
    ]);
  });

  it("gives its metadata to every chunk, and refuses a start or end of its own", async () => {
    const [chunk] = await MDocument.fromText("abc", { uri: "u", metadata: { team: "a" } }).chunk();
    expect(chunk?.metadata).toEqual({ uri: "u", team: "a", start: 0, end: 3 });
    expect(() => MDocument.fromText("abc", { metadata: { start: 1 } })).toThrow(/"start"/);
    await expect(MDocument.fromMarkdown("---\nend: 1\n---\nx").chunk()).rejects.toThrow(/"end"/);
  });

  it("keeps the byte order mark and foreign line breaks where they are", async () => {
    const text = "\ufeff# A\r\n\r\ntext\r\n";
    const chunks = await MDocument.fromMarkdown(text).chunk();
    expect(chunks.map(({ text, metadata: { start, end } }) => [text, start, end])).toEqual([
      ["# A\r\n\r\ntext", 1, 12],
    ]);
  });

  it("is split at blank lines before other lines, whatever ends a line", async () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = ["aa", "", "bb", "cc"].join(end);
      const chunks = await MDocument.fromText(text).chunk({ size: 4 + 2 * end.length });
      expect(chunks.map((chunk) => chunk.text)).toEqual(["aa", `bb${end}cc`]);
    }
  });

  it("is nothing when it is blank", async () => {
    for (const text of ["", " \n\t\ufeff"]) {
      expect(await MDocument.fromText(text).chunk()).toEqual([]);
      expect(await MDocument.fromMarkdown(text).chunk()).toEqual([]);
      expect(await MDocument.fromHTML(text).chunk()).toEqual([]);
    }
  });

  it("keeps its chunks", async () => {
    const document = MDocument.fromText("a\n\nb", { id: "d" });
    expect([document.getDocs(), document.getText(), document.getMetadata()]).toEqual([[], [], []]);
    await document.chunk({ size: 1 });
    expect(document.getText()).toEqual(["a", "b"]);
    expect(document.getMetadata()).toEqual([
      { start: 0, end: 1 },
      { start: 3, end: 4 },
    ]);
    expect(document.toDocuments()[1]).toEqual({ id: "d:3-4", content: "b", metadata: { start: 3, end: 4 } });
  });

  it("of ten megabytes without a separator is cut", { timeout: 120_000 }, async () => {
    const text = "a".repeat(10_000_000);
    expect(await MDocument.fromText(text).chunk()).toHaveLength(2_500);
    expect(await MDocument.fromMarkdown(text).chunk()).toHaveLength(2_500);
    expect(await MDocument.fromHTML(text).chunk()).toHaveLength(2_500);
    expect(await MDocument.fromText(text).chunk({ strategy: "sentence" })).toHaveLength(2_500);
  });

  it("of many equal letters is cut by tokens", { timeout: 120_000 }, async () => {
    const chunks = await MDocument.fromText("a".repeat(200_000)).chunk({ strategy: "token" });
    expect(chunks.map(({ text }) => text).join("")).toHaveLength(200_000);
  });
});

describe("options", () => {
  const split = (options: ChunkOptions) => MDocument.fromText("some text").chunk(options);
  const wrong: readonly [ChunkOptions | object, RegExp][] = [
    [{ overlap: 10, size: 10 }, /overlap must be smaller than size/],
    [{ size: 10, maxSize: 11 }, /two names for the same option/],
    [{ strategy: "recursive", keepSeparator: "start", separatorPosition: "end" }, /two names for the same option/],
    [{ strategy: "recursive", headers: [["#", "a"]] }, /option "headers" of the strategy "recursive"/],
    [{ strategy: "json", overlap: 1 }, /option "overlap" of the strategy "json"/],
    [{ strategy: "latin" }, /Unknown strategy "latin"/],
    [{ size: 0 }, /size must be/],
    [{ size: Number.NaN }, /size must be/],
    [{ strategy: "character", separator: "a*", isSeparatorRegex: true, size: 2 }, /matches the empty string/],
    [{ strategy: "character", separator: "a*", isSeparatorRegex: true }, /matches the empty string/],
    [{ strategy: "recursive", separators: [/\n/, /b?/] }, /matches the empty string/],
    [{ strategy: "character", separator: "", isSeparatorRegex: true }, /matches the empty string/],
    [{ strategy: "recursive", separators: [new RegExp(`[${[].join("")}]`)] }, /cannot match any text/],
    [{ strategy: "character", separator: "(?!)", isSeparatorRegex: true }, /cannot match any text/],
    [{ strategy: "character", separator: "(", isSeparatorRegex: true }, /regular expression/],
    [{ encodingName: "gpt2" }, /length: "tokens"/],
    [{ strategy: "token", encodingName: "gpt9" }, /Unknown encoding "gpt9".*o200k_base/],
    [{ strategy: "token", modelName: "claude" }, /Unknown model "claude".*gpt-4o/],
    [{ strategy: "semantic" }, /needs an embedder/],
    [{ strategy: "markdown", headers: [["h1", "a"]] }, /unknown heading "h1"/],
    [{ strategy: "markdown", headers: ["#"] }, /list of pairs/],
    [{ strategy: "markdown", headers: [["#", "start"]] }, /"start".* Use another name/],
    [{ length: () => Number.NaN }, /The result of length/],
    [{ extract: { summary: true } }, /needs a model/],
    [{ extract: { model: answering(() => ""), keywords: { count: 0 } } }, /keywords\.count must be a whole number/],
  ];

  it.each(wrong)("%j are refused", async (options, message) => {
    await expect(split(options as ChunkOptions)).rejects.toThrow(message);
  });

  it("may be a sticky regular expression, which separates all the same", async () => {
    const chunks = await MDocument.fromText("a,b,c").chunk({ strategy: "character", separator: /,/y, size: 1 });
    expect(chunks.map(({ text }) => text)).toEqual(["a", "b", "c"]);
  });

  it("may have two names with the same value", async () => {
    await expect(split({ size: 10, maxSize: 10 })).resolves.toHaveLength(1);
  });
});

describe("embed", () => {
  it("splits first when that has not been done, keeps the order, and works in batches", async () => {
    const document = MDocument.fromText("a\n\nbb\n\nccc\n\ndddd\n\neeeee");
    const seen: number[] = [];
    const embedder: Embedder = {
      component: "embedder",
      embed: async (texts) => {
        seen.push(texts.length);
        await new Promise((resolve) => setTimeout(resolve, texts.length === 1 ? 0 : 5));
        return texts.map((text) => [text.length]);
      },
    };
    expect(await MDocument.fromText("abc").embed(lengths)).toMatchObject([{ text: "abc", embedding: [3, 1] }]);
    await document.chunk({ size: 5, separators: ["\n\n"], strategy: "recursive" });
    const chunks = await document.embed(embedder, { batchSize: 2, concurrency: 3 });
    expect(chunks.map(({ embedding }) => embedding)).toEqual([[1 + 4], [3], [4], [5]].map(([n]) => [n]));
    expect(seen).toEqual([2, 2]);
    expect(document.toDocuments()[0]?.denseVector).toEqual([5]);
  });

  it("takes an embedding model of the AI SDK as it is, within its limits", async () => {
    const calls: string[][] = [];
    const model: EmbeddingModelLike = {
      modelId: "m",
      maxEmbeddingsPerCall: Promise.resolve(2),
      supportsParallelCalls: false,
      doEmbed: async ({ values }) => {
        calls.push(values);
        return { embeddings: values.map(() => [1, 2]) };
      },
    };
    const document = MDocument.fromText("a\n\nb\n\nc");
    await document.chunk({ size: 1 });
    expect(await document.embed(model)).toHaveLength(3);
    expect(calls).toEqual([["a", "b"], ["c"]]);
  });

  it.each([
    ["a wrong count", [[1]], /Batch 1 of 1 \(texts 0 to 1\) returned 1 vectors for 2 texts/],
    ["what is no number", [[1], [Number.NaN]], /returned a vector with NaN at index 0 for its text 1/],
    ["other dimensions", [[1], [1, 2]], /a vector of 2 numbers for text 1, but other vectors have 1/],
    ["an empty vector", [[1], []], /an empty vector/],
  ])("names the batch that gave %s", async (_, vectors, message) => {
    const document = MDocument.fromText("a\n\nb");
    await document.chunk({ size: 1 });
    const embedder: Embedder = { component: "embedder", embed: async () => vectors };
    await expect(document.embed(embedder)).rejects.toThrow(message);
  });

  it("stops when its signal says so", async () => {
    const reason = new Error("enough");
    await expect(MDocument.fromText("a").embed(lengths, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("the strategy semantic", () => {
  it("does not embed a single sentence", async () => {
    const embedder: Embedder = { component: "embedder", embed: () => Promise.reject(new Error("not needed")) };
    const chunks = await MDocument.fromText("Only one sentence.").chunk({ strategy: "semantic", embedder });
    expect(chunks.map(({ text }) => text)).toEqual(["Only one sentence."]);
  });
});

describe("extractMetadata", () => {
  it("fails with the id of the chunk, or leaves it out", async () => {
    const model = answering((question) => {
      if (question.includes("b")) throw new Error("no");
      return "T";
    });
    const document = MDocument.fromText("x\n\nb", { id: "d" });
    await document.chunk({ size: 1 });
    const title = { prompt: "?" };
    await expect(document.extractMetadata({ model, title })).rejects.toThrow(/title of chunk "d:3-4" failed/);
    await document.extractMetadata({ model, title, onError: "skip" });
    expect(document.getMetadata().map((metadata) => metadata.title)).toEqual(["T", undefined]);
  });

  it("leaves the place of a chunk alone", async () => {
    const model = answering(() => '{"end":"2024"}');
    const document = MDocument.fromText("x", { id: "d" });
    for (const options of [{ title: { key: "start" } }, { schema: { type: "object" } }]) {
      await expect(document.extractMetadata({ model, ...options })).rejects.toThrow(/d:0-1.*Use another name/);
      await document.extractMetadata({ model, ...options, onError: "skip" });
    }
    expect(document.getMetadata()).toEqual([{ start: 0, end: 1 }]);
  });

  it("takes fields of a schema from an answer of JSON", async () => {
    const model = answering(() => '```json\n{"year": 1682}\n```');
    const schema = { type: "object", properties: { year: { type: "number" } }, required: ["year"] };
    const document = await MDocument.fromText("Built in 1682.").extractMetadata({ model, schema });
    expect(document.getMetadata()[0]).toMatchObject({ year: 1682 });
    const wrong = MDocument.fromText("x").extractMetadata({ model: answering(() => "{}"), schema });
    await expect(wrong).rejects.toMatchObject({ code: "EXTRACTION_FAILED" });
  });
});

describe("splitter", () => {
  const ctx = toolContext();

  it("splits documents in a node, each by its type", async () => {
    const documents = await splitter("auto", { size: 20 }).transform(
      [
        { id: "a.md", content: "# A\n\ntext", metadata: { lang: "en" } },
        { id: "b", content: "<p>b</p>", metadata: { mimeType: "text/html" } },
      ],
      ctx,
    );
    expect(documents).toEqual([
      { id: "a.md:0-9", content: "# A\n\ntext", metadata: { lang: "en", start: 0, end: 9 } },
      { id: "b:3-4", content: "b", metadata: { mimeType: "text/html", start: 3, end: 4 } },
    ]);
  });

  it("runs without a context, and with a partial one", async () => {
    const node = splitter("sentence", { size: 5 });
    const documents = [{ id: "a", content: "One. Two.", metadata: {} }];
    for (const given of [undefined, {}, { signal: new AbortController().signal }])
      expect((await node.transform(documents, given)).map(({ content }) => content)).toEqual(["One.", "Two."]);
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(node.transform(documents, { signal })).rejects.toThrow("stopped");
    const model = answering(() => "Short.");
    const extracting = splitter("recursive", { extract: { model, summary: true } });
    expect((await extracting.transform(documents, {}))[0]?.metadata.summary).toBe("Short.");
    const semantic = splitter("semantic", { embedder: lengths });
    expect(await semantic.transform(documents, {})).not.toHaveLength(0);
  });

  it("lets documents of a folder overlap, but JSON documents among them not", async () => {
    const documents = await splitter("auto", { size: 9, overlap: 4 }).transform(
      [
        { id: "a", content: "one two three", metadata: {} },
        { id: "b.json", content: '{"a":1,"b":2}', metadata: {} },
      ],
      ctx,
    );
    expect(documents.map(({ content }) => content)).toEqual(["one two", "two three", '{"a":1}', '{"b":2}']);
  });

  it("refuses wrong options where it is made, and chunks of chunks", async () => {
    expect(() => splitter("token", { size: 0 })).toThrow(/size/);
    const [chunk] = await splitter("recursive").transform([{ id: "a", content: "a", metadata: {} }], ctx);
    await expect(splitter("recursive").transform(chunk ? [chunk] : [], ctx)).rejects.toThrow(/"start"/);
  });
});
