/**
 * A list of indexes for each of `count` nodes. Most have at most one element, and an array that grows from empty reserves room for
 * seventeen. So empty lists share one array, and a list is created with its first element.
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
