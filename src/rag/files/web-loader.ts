import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { invalidValue } from "../errors.js";
import { documentFromBytes } from "./document-from-bytes.js";
import { fileTooLarge, loadFailed, loadTimedOut } from "./errors.js";
import { checkMaxBytes, type SourceLoader } from "./file-loader.js";
import { isPrivateAddress } from "./private-address.js";

/** Options of {@link webLoader}. */
export interface WebLoaderOptions {
  /** Whether loopback and private addresses may be read. @default false */
  readonly allowPrivate?: boolean | undefined;
  /** The maximum size of a page, in bytes. Larger pages cannot be loaded. @default 10 MB */
  readonly maxBytes?: number | undefined;
  /** The maximum number of redirects. @default 5 */
  readonly maxRedirects?: number | undefined;
  /** The time limit for one page, in milliseconds. @default 30,000 */
  readonly timeoutMs?: number | undefined;
  /** Extra headers, sent only to the host of the URI and not after a redirect to another one. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const known = ["allowPrivate", "maxBytes", "maxRedirects", "timeoutMs", "headers"];

/**
 * Reads a page over `http` or `https`. The host name is resolved first, also after each redirect: loopback and private addresses
 * are rejected, and the request goes to the checked address.
 *
 * @example
 * const [page] = await webLoader().load({ uri: "https://example.com/guide.html" });
 */
export function webLoader(options: WebLoaderOptions = {}): SourceLoader {
  const maxBytes = checkMaxBytes("webLoader", options, known, 10_000_000);
  const { allowPrivate = false, maxRedirects = 5, timeoutMs = 30_000, headers = {} } = options;
  if (!Number.isInteger(maxRedirects) || maxRedirects < 0)
    throw invalidValue("maxRedirects", "a whole number of at least 0", maxRedirects);
  if (!(timeoutMs > 0)) throw invalidValue("timeoutMs", "a number above 0", timeoutMs);
  return {
    component: "loader",
    type: "WebLoader",
    load: async ({ uri }, ctx) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = ctx?.signal === undefined ? timeout : AbortSignal.any([ctx.signal, timeout]);
      const page = new Page(uri, { allowPrivate, maxBytes, maxRedirects, headers, signal });
      const loaded = await page.load().catch((error: unknown) => {
        if (timeout.aborted && ctx?.signal?.aborted !== true) throw loadTimedOut(uri, timeoutMs);
        throw error;
      });
      return [await documentFromBytes(loaded)];
    },
  };
}

interface PageOptions {
  readonly allowPrivate: boolean;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const redirects: readonly unknown[] = [301, 302, 303, 307, 308];

class Page {
  readonly #uri: string;
  readonly #options: PageOptions;

  constructor(uri: string, options: PageOptions) {
    this.#uri = uri;
    this.#options = options;
  }

  async load() {
    const first = this.#read(this.#uri, undefined);
    let url = first;
    for (let left = this.#options.maxRedirects; ; left--) {
      const answer = await this.#request(url, url.host === first.host ? this.#options.headers : {});
      const { statusCode = 0, headers } = answer;
      if (redirects.includes(statusCode) && headers.location !== undefined) {
        answer.destroy();
        if (left === 0) throw this.#failed(`it redirects more than ${this.#options.maxRedirects} times.`);
        url = this.#read(headers.location, url);
        continue;
      }
      if (statusCode < 200 || statusCode > 299) {
        answer.destroy();
        throw this.#failed(`${url.host} answered with status ${statusCode}.`);
      }
      const bytes = await this.#body(answer);
      const [type = "", ...parameters] = (headers["content-type"] ?? "text/html").split(";");
      const charset = parameters.map((text) => /^\s*charset="?([^"\s]+)/i.exec(text)?.[1]).find(Boolean);
      return { uri: this.#uri, bytes, mimeType: type.trim().toLowerCase(), charset };
    }
  }

  #read(text: string, base: URL | undefined): URL {
    let url: URL;
    try {
      url = new URL(text, base);
    } catch (cause) {
      throw loadFailed(this.#uri, `${JSON.stringify(text)} is not a URL.`, cause);
    }
    if (url.protocol !== "http:" && url.protocol !== "https:")
      throw this.#failed(`only http and https are supported (got ${url.protocol}).`);
    return url;
  }

  async #request(url: URL, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    const { signal } = this.#options;
    const address = await this.#resolve(url);
    return new Promise<IncomingMessage>((resolve, reject) => {
      const send = url.protocol === "https:" ? httpsRequest : httpRequest;
      const call = send(url, {
        agent: false,
        signal,
        headers: { "accept-encoding": "identity", "user-agent": "kumiko", ...headers },
        // pins the checked address: the name may resolve to another one by now
        lookup: (_host, { all }, done) => {
          if (all) done(null, [{ address, family: isIP(address) }]);
          else done(null, address, isIP(address));
        },
      });
      call.once("response", resolve);
      call.once("error", (cause) => reject(signal.aborted ? signal.reason : loadFailed(this.#uri, "", cause)));
      call.end();
    });
  }

  async #resolve({ hostname }: URL): Promise<string> {
    const host = hostname.replace(/^\[|\]$/g, "");
    const found = isIP(host) === 0 ? await this.#lookUp(host) : [host];
    const [address] = found;
    if (address === undefined) throw this.#failed(`${host} has no address.`);
    if (!this.#options.allowPrivate && found.some(isPrivateAddress)) {
      throw this.#failed(`${host} is a loopback or private address. Set allowPrivate: true to read it.`);
    }
    return address;
  }

  async #lookUp(host: string): Promise<string[]> {
    try {
      return (await lookup(host, { all: true })).map(({ address }) => address);
    } catch (cause) {
      throw loadFailed(this.#uri, "", cause);
    }
  }

  async #body(answer: IncomingMessage): Promise<Uint8Array> {
    const { maxBytes, signal } = this.#options;
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of answer) {
        const bytes = Buffer.from(chunk);
        length += bytes.length;
        if (length > maxBytes) break;
        chunks.push(bytes);
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw loadFailed(this.#uri, "", cause);
    }
    if (length > maxBytes) throw fileTooLarge(this.#uri, maxBytes / 1_000_000);
    const encoding = answer.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity")
      throw this.#failed(`it is encoded as ${encoding}, although the request accepts no encoding.`);
    return Buffer.concat(chunks);
  }

  #failed(why: string) {
    return loadFailed(this.#uri, why);
  }
}
