interface Field {
  readonly name: string;
  readonly id: number;
}

/** What generated code wrote of one message. */
export interface Recorded {
  /** Of the message: 1 for a call, 4 for a oneway one. */
  readonly messageType: number | undefined;
  readonly structName: string | undefined;
  /** Of the outermost struct. */
  readonly fields: readonly Field[];
}

/** Stands for a protocol that generated code writes to, and notes names. That code may fail where it meets a stand-in. */
export function recordOutput(write: (output: object) => void): Recorded {
  const fields: Field[] = [];
  let messageType: number | undefined;
  let structName: string | undefined;
  let depth = 0;
  const notes = {
    writeMessageBegin: (_name: string, type: number) => {
      messageType = type;
    },
    writeStructBegin: (name: string) => {
      structName ??= name;
      depth += 1;
    },
    writeStructEnd: () => {
      depth -= 1;
    },
    writeFieldBegin: (name: string, _type: number, id: number) => {
      if (depth === 1) fields.push({ name, id });
    },
  };
  const output = new Proxy(notes, {
    get: (target, name) => Reflect.get(target, name) ?? (() => undefined),
  });
  try {
    write(output);
  } catch {
    // what was written before says enough
  }
  return { messageType, structName, fields };
}
