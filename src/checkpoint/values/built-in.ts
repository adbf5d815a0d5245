/** Whether a value is an instance of exactly this built-in class, and not of a subclass. */
export function isOf<Type extends abstract new (...args: never[]) => object>(
  _value: object,
  prototype: object,
  type: Type,
): _value is InstanceType<Type> {
  return prototype === type.prototype;
}

/** The form in which an instance of a built-in class without inner values is saved; `undefined` for all other objects. */
export function plainLeaf(value: object, prototype: object): object | undefined {
  if (ArrayBuffer.isView(value)) return plainView(value, prototype);
  return leaves.some((type) => type.prototype === prototype) ? value : undefined;
}

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

/**
 * A view whose buffer holds no other bytes: the rest of a shared buffer (Node.js pools them) must not be saved. A view of a whole
 * buffer is returned as it is.
 */
function plainView(view: ArrayBufferView, prototype: object): ArrayBufferView | undefined {
  const type = viewTypeOf(view);
  const isBuffer = prototype === nodeBufferPrototype();
  if (type === undefined || !(prototype === type.prototype || isBuffer)) return undefined;
  const { buffer, byteOffset, byteLength } = view;
  const isWhole = byteLength === buffer.byteLength && tagOf(buffer) === "ArrayBuffer";
  return isWhole && !isBuffer ? view : new type(new Uint8Array(buffer, byteOffset, byteLength).slice().buffer);
}

type ViewType = new (buffer: ArrayBufferLike) => ArrayBufferView;

function viewTypeOf(view: ArrayBufferView): ViewType | undefined {
  const type: unknown = Reflect.get(globalThis, tagOf(view));
  return isViewType(type) ? type : undefined;
}

const tagOf = (value: object): string => Object.prototype.toString.call(value).slice("[object ".length, -1);

const isViewType = (type: unknown): type is ViewType => typeof type === "function" && "prototype" in type;

function nodeBufferPrototype(): unknown {
  const type: unknown = Reflect.get(globalThis, "Buffer");
  return typeof type === "function" ? type.prototype : undefined;
}
