const leaves: readonly { readonly prototype: object }[] = [
  Date,
  RegExp,
  URL,
  URLSearchParams,
  ArrayBuffer,
  Number,
  String,
  Boolean,
  BigInt,
];

/** Whether this is the prototype of a built-in class whose instances lead to no other values. */
export function isLeafPrototype(prototype: object): boolean {
  return leaves.some((type) => type.prototype === prototype);
}

/**
 * A view of bytes that says no more than the given one shows: what else stands in a buffer that is shared (Node.js has a
 * pool of them) is not for others to see. A view of a whole buffer goes on sharing it. Nothing for other classes.
 */
export function plainView(view: ArrayBufferView): ArrayBufferView | undefined {
  const prototype: unknown = Object.getPrototypeOf(view);
  const type = viewTypeOf(view);
  if (type === undefined || (prototype !== type.prototype && prototype !== nodeBufferPrototype())) return undefined;
  const { buffer, byteOffset, byteLength } = view;
  const isWhole = byteLength === buffer.byteLength && buffer instanceof ArrayBuffer;
  if (isWhole && prototype === type.prototype) return view;
  return new type(isWhole ? buffer : new Uint8Array(buffer, byteOffset, byteLength).slice().buffer);
}

type ViewType = new (buffer: ArrayBufferLike) => ArrayBufferView;

function viewTypeOf(view: ArrayBufferView): ViewType | undefined {
  const type: unknown = Reflect.get(globalThis, Object.prototype.toString.call(view).slice("[object ".length, -1));
  return isViewType(type) ? type : undefined;
}

const isViewType = (type: unknown): type is ViewType => typeof type === "function" && "prototype" in type;

function nodeBufferPrototype(): unknown {
  const type: unknown = Reflect.get(globalThis, "Buffer");
  return typeof type === "function" ? type.prototype : undefined;
}
