/** Deeply frozen copies of lists and plain objects. One object has one copy; what is frozen, and any other value, stays. */
export class FrozenCopies {
  readonly #copies = new Map<object, object>();

  readonly frozen = <T>(value: T): T => {
    if (typeof value !== "object" || value === null) return value;
    return (this.#copies.get(value) ?? this.#copyOf(value)) as T;
  };

  #copyOf(value: object): object {
    const isList = Array.isArray(value);
    if (Object.isFrozen(value) || Object.getPrototypeOf(value) !== (isList ? Array : Object).prototype) return value;
    const copy: object = isList ? [] : {};
    this.#copies.set(value, copy);
    this.#copies.set(copy, copy);
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      if ("value" in descriptor) descriptor.value = this.frozen(descriptor.value);
      Object.defineProperty(copy, key, descriptor);
    }
    return Object.freeze(copy);
  }
}
