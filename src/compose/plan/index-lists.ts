/**
 * A list of indexes for each of `count` nodes. Most have one element or none, and a list that grows from nothing has room for
 * seventeen: so the empty ones are one and the same, and a list begins with its first element.
 */
export class IndexLists {
  readonly lists: readonly (readonly number[])[];

  constructor(count: number) {
    this.lists = new Array<readonly number[]>(count).fill(noIndexes);
  }

  add(at: number, index: number): void {
    const list = this.lists[at];
    if (list === noIndexes) (this.lists as (readonly number[])[])[at] = [index];
    else (list as number[] | undefined)?.push(index);
  }
}

const noIndexes: readonly number[] = Object.freeze([]);
