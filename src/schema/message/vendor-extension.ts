/** Reasoning as OpenAI sends it: several summaries or texts. In chunks, parts with the same index are one text. */
export interface OpenAIReasoningExtension {
  /** The summaries or texts. */
  readonly content?: readonly OpenAIReasoningContent[] | undefined;
}

/** One text of OpenAI's reasoning. */
export interface OpenAIReasoningContent {
  /** Only in chunks. Concatenation removes it. */
  readonly index?: number | undefined;
  /** One summary, or one text. */
  readonly text: string;
}

/** OpenAI's data about a text. */
export interface OpenAITextExtension {
  /** Why the model did not answer, if it did not. */
  readonly refusal?: OpenAIRefusal | undefined;
  /** The sources of the text. */
  readonly annotations?: readonly OpenAITextAnnotation[] | undefined;
}

/** The refusal of an OpenAI model to answer. */
export interface OpenAIRefusal {
  /** The reason, in the words of the model. */
  readonly reason: string;
}

/** A source of a text. The field named after the annotation's type holds the details. */
export interface OpenAITextAnnotation {
  /** Only in chunks: its position among the annotations. Concatenation removes it. */
  readonly index?: number | undefined;
  /** The kind of source. */
  readonly type: "file_citation" | "url_citation" | "container_file_citation" | "file_path" | (string & {});
  /** Details of a `file_citation`: a file that was searched. */
  readonly fileCitation?: Readonly<Record<string, unknown>> | undefined;
  /** Details of a `url_citation`: a page of the web. */
  readonly urlCitation?: Readonly<Record<string, unknown>> | undefined;
  /** Details of a `container_file_citation`: a file in a container of the provider. */
  readonly containerFileCitation?: Readonly<Record<string, unknown>> | undefined;
  /** Details of a `file_path`: a file that the model wrote. */
  readonly filePath?: Readonly<Record<string, unknown>> | undefined;
}

/** Claude's data about a text. */
export interface ClaudeTextExtension {
  /** The sources of the text. */
  readonly citations?: readonly ClaudeTextCitation[] | undefined;
}

/** A source of a text. The field named after the citation's type holds the details. */
export interface ClaudeTextCitation {
  /** The kind of source. */
  readonly type:
    | "char_location"
    | "page_location"
    | "content_block_location"
    | "web_search_result_location"
    | (string & {});
  /** Details of a `char_location`: characters of a text document. */
  readonly charLocation?: Readonly<Record<string, unknown>> | undefined;
  /** Details of a `page_location`: pages of a PDF. */
  readonly pageLocation?: Readonly<Record<string, unknown>> | undefined;
  /** Details of a `content_block_location`: blocks of a document that was sent as blocks. */
  readonly contentBlockLocation?: Readonly<Record<string, unknown>> | undefined;
  /** Details of a `web_search_result_location`: a page that a search found. */
  readonly webSearchResultLocation?: Readonly<Record<string, unknown>> | undefined;
}

/** OpenAI's data about a whole response. */
export interface OpenAIResponseExtension {
  /** The id of the response. */
  readonly id?: string | undefined;
  /** How far the response is, such as `completed` or `incomplete`. */
  readonly status?: string | undefined;
  /** The error of a response that failed. */
  readonly error?: { readonly code?: string | undefined; readonly message?: string | undefined } | undefined;
  /** Why the response is incomplete. */
  readonly incompleteDetails?: { readonly reason?: string | undefined } | undefined;
  /** The id of the response that this one continues. */
  readonly previousResponseId?: string | undefined;
  /** The effort of the reasoning, and how it is summarized. */
  readonly reasoning?: { readonly effort?: string | undefined; readonly summary?: string | undefined } | undefined;
  /** The service tier that answered. */
  readonly serviceTier?: string | undefined;
  /** When the response was created, in seconds since 1970. */
  readonly createdAt?: number | undefined;
  /** How long the provider caches the prompt. */
  readonly promptCacheRetention?: string | undefined;
}

/** Claude's data about a whole response. */
export interface ClaudeResponseExtension {
  /** The id of the response. */
  readonly id?: string | undefined;
  /** Why the answer ended, in the provider's words. */
  readonly stopReason?: string | undefined;
  /** The stop sequence that ended the answer, if one did. */
  readonly stopSequence?: string | undefined;
  /** More about why the answer ended. */
  readonly stopDetails?: Readonly<Record<string, unknown>> | undefined;
}

/** Gemini's data about a whole response. */
export interface GeminiResponseExtension {
  /** The id of the response. */
  readonly id?: string | undefined;
  /** Why the answer ended, in the provider's words. */
  readonly finishReason?: string | undefined;
  /** The searches and sources that the answer is based on. */
  readonly groundingMeta?: Readonly<Record<string, unknown>> | undefined;
}
