import { isObject } from "../../is.js";
import type { ParameterObject } from "./document.js";
import { stringifyExactly } from "./exact-json.js";

type How = Pick<ParameterObject, "name" | "style" | "explode" | "isJson" | "allowReserved">;
type Pair = readonly [name: string, value: string];

/** The encoded value of a path parameter. */
export function pathText(parameter: How, value: unknown): string {
  const { name, style, explode } = parameter;
  const encoded = (item: unknown): string => encodeURIComponent(textOfItem(item));
  if (parameter.isJson) return encoded(stringifyExactly(value));
  const items = itemsOf(value, explode, encoded);
  if (items === undefined) {
    if (style === "matrix") return `;${name}=${encoded(value)}`;
    return style === "label" ? `.${encoded(value)}` : encoded(value);
  }
  if (style === "label") return `.${items.join(explode ? "." : ",")}`;
  if (style !== "matrix") return items.join(",");
  if (!explode) return `;${name}=${items.join(",")}`;
  return items.map((item) => (Array.isArray(value) ? `;${name}=${item}` : `;${item}`)).join("");
}

export function headerText({ explode, isJson }: How, value: unknown): string {
  if (isJson) return stringifyExactly(value);
  return itemsOf(value, explode, textOfItem)?.join(",") ?? textOfItem(value);
}

/** The encoded names and values of cookies. */
export function cookiePairs(parameter: How, value: unknown): Pair[] {
  return queryPairs(parameter, value).map(([name, text]) => {
    // a name from a key that the model wrote must not start another cookie
    return [name === parameter.name ? name : encodeURIComponent(name), encodeURIComponent(text)];
  });
}

/** The query of a URL. Names that are `taken` are left out. */
export function queryText(parameter: How, value: unknown, taken: ReadonlySet<string>): string {
  const encode = parameter.allowReserved ? encodeLittle : encodeURIComponent;
  const separator = separators[parameter.style] ?? ",";
  const joined = joinedItems(parameter, value);
  if (joined !== undefined) {
    return taken.has(parameter.name)
      ? ""
      : `${encodeURIComponent(parameter.name)}=${joined.map(encode).join(separator)}`;
  }
  return queryPairs(parameter, value)
    .filter(([name]) => !taken.has(name))
    .map(([name, text]) => `${encodeURIComponent(name)}=${encode(text)}`)
    .join("&");
}

const separators: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

/** The items, if they are sent under one name. */
function joinedItems({ style, explode, isJson }: How, value: unknown): string[] | undefined {
  if (isJson || explode || style === "deepObject" || !isObject(value)) return undefined;
  return Array.isArray(value)
    ? value.map(textOfItem)
    : Object.entries(value).flatMap(([key, item]) => [key, textOfItem(item)]);
}

/** The names and values of queries and forms, not yet encoded. */
export function queryPairs(parameter: How, value: unknown): Pair[] {
  const { name, style, isJson } = parameter;
  if (isJson) return [[name, stringifyExactly(value)]];
  const joined = joinedItems(parameter, value);
  if (joined !== undefined) return [[name, joined.join(",")]];
  if (Array.isArray(value)) return value.map((item) => [name, textOfItem(item)]);
  if (!isObject(value)) return [[name, textOfItem(value)]];
  if (style === "deepObject") return deepPairs(name, value);
  return Object.entries(value).map(([key, item]) => [key, textOfItem(item)]);
}

/** `filter[age][min]=3` */
function deepPairs(name: string, value: unknown): Pair[] {
  if (Array.isArray(value)) return value.flatMap((item) => deepPairs(name, item));
  if (!isObject(value)) return [[name, textOfItem(value)]];
  return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item));
}

/** `undefined` for a value that is a single item. */
function itemsOf(value: unknown, explode: boolean, encode: (item: unknown) => string): string[] | undefined {
  if (Array.isArray(value)) return value.map(encode);
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (explode) return entries.map(([key, item]) => `${encode(key)}=${encode(item)}`);
  return entries.flatMap(([key, item]) => [encode(key), encode(item)]);
}

function textOfItem(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? stringifyExactly(value) : String(value);
}

/** Leaves the reserved characters that are allowed in the value of a query. */
function encodeLittle(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent);
}
