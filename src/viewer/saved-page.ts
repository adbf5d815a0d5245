import { KumikoError } from "../errors.js";
import type { RunView, SpanView, StateView } from "./api.js";
import { withControlsNamed } from "./bidi.js";
import type { Level } from "./layout/level.js";

/** A run as it is put into a file. */
export interface SavedRun {
  readonly view: RunView;
  /** The picture of its graph in which nothing is folded, where something is. */
  readonly opened?: Level | undefined;
  /** States of graphs by save: `<entry> <path>`. */
  readonly states?: Readonly<Record<string, StateView>> | undefined;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
}

const largest = 20_000_000;

/**
 * A run as one HTML file: its script, its style and its data, packed. A policy with their hashes lets nothing else run, and no
 * request leave.
 */
export async function savedPage(run: SavedRun, { player, style }: { player: string; style: string }): Promise<string> {
  const packed = await pack(JSON.stringify(run));
  const [scriptHash, styleHash] = await Promise.all([hash(player), hash(style)]);
  const policy = `default-src 'none';script-src '${scriptHash}';style-src '${styleHash}';img-src data:;base-uri 'none';form-action 'none'`;
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer">`,
    `<title>${escapeText(run.view.run.app ?? run.view.run.graph)}</title><style>${style}</style></head>`,
    `<body><div id="app"></div><script type="text/plain" id="data">${packed}</script>`,
    `<script>${player}</script></body></html>`,
  ].join("");
  if (html.length > largest) throw tooLarge(html.length, run.view.spans);
  return html;
}

/** JSON, compressed, as base64. */
async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return base64(new Uint8Array(await new Response(stream).arrayBuffer()));
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${base64(new Uint8Array(digest))}`;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  // not all at once: a call takes only so many arguments
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

function escapeText(text: string): string {
  return withControlsNamed(text).replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function tooLarge(size: number, spans: readonly SpanView[]): KumikoError {
  const values = spans.flatMap(({ path, name, input, output }) => [
    { where: `input of ${path || name}`, size: input?.size ?? 0 },
    { where: `output of ${path || name}`, size: output?.size ?? 0 },
  ]);
  const found = values.toSorted((a, b) => b.size - a.size).slice(0, 3);
  const names = found.map(({ where, size: bytes }) => `${where} (${Math.ceil(bytes / 1_000)} kB)`).join(", ");
  const mb = (size / 1_000_000).toFixed(1);
  return new KumikoError(
    "INVALID_OPTION",
    `The page of this run would have ${mb} MB, and 20 MB is the limit. The largest values are: ${names}. Shorten them with the option redact.`,
  );
}
