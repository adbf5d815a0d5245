import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { NodeContext } from "../components/context.js";
import { KumikoError, messageOf } from "../errors.js";
import { isFields } from "../is.js";
import { canonicalText } from "../run/policies/canonical-text.js";
import { jsonCopy } from "../schema/encode-json.js";
import { isUserOptional } from "./create-middleware.js";
import { needsStore, noUser } from "./errors.js";
import { changeRow, parseRow, readRow, rowBytes } from "./threads/rows.js";
import { idPart } from "./threads/turn-row.js";
import type { OngoingTurn, UserStates } from "./turn.js";

type States = Record<string, unknown>;

/** What all agents keep for a user: the states of middlewares, by their names. */
interface UserRow {
  readonly version: 1;
  readonly states: Readonly<States>;
}

const maxBytes = 64 * 1024;

/** Where that stands. */
export const userKey = (userId: string): string => `~user/${idPart(userId)}`;

/** Reads what middlewares keep for the user. `undefined` if none does, or nobody has asked and they can do without. */
export async function openUserState(turn: OngoingTurn, ctx: NodeContext): Promise<UserStates | undefined> {
  const { userId } = turn.state;
  const keeping = turn.agents.flatMap(({ middleware }) => middleware.filter(({ scope }) => scope === "user"));
  const [needy] = keeping.filter((middleware) => !isUserOptional(middleware));
  if (userId === undefined && needy !== undefined) throw noUser(needy.name);
  const { store } = turn;
  if (store === undefined && needy !== undefined)
    throw needsStore(`Middleware "${needy.name}" keeps its state for the user`);
  if (userId === undefined || store === undefined) return undefined;
  const user = new UserState(turn, { store, userId, names: [...new Set(keeping.map(({ name }) => name))], ctx });
  await user.read();
  return user;
}

interface Kept {
  readonly store: CheckpointStore;
  readonly userId: string;
  readonly names: readonly string[];
  readonly ctx: NodeContext;
}

/** What middlewares keep for the user of a turn. Other turns of the user may change it meanwhile: each writes what it has changed. */
class UserState implements UserStates {
  readonly #turn: OngoingTurn;
  readonly #kept: Kept;
  /** Whether something was kept for the user before: if that is gone, so is the user. */
  #isKnown = false;

  constructor(turn: OngoingTurn, kept: Kept) {
    this.#turn = turn;
    this.#kept = kept;
  }

  /** A turn that is resumed gets what others have written since, except where it has changed something itself. */
  async read(): Promise<void> {
    const { store, userId, names } = this.#kept;
    const { state } = this.#turn;
    const { row } = await readRow(store, userKey(userId), decode);
    this.#isKnown = row !== undefined;
    const newest = row?.states ?? {};
    const before = state.user;
    const known: States = {};
    for (const name of names) {
      const own = state.middleware[name];
      const merged =
        before === undefined || own === undefined ? newest[name] : changedIn(newest[name], before.known[name], own);
      if (merged !== undefined) state.middleware[name] = jsonCopy(merged);
      if (newest[name] !== undefined) known[name] = newest[name];
      else if (before?.known[name] !== undefined) known[name] = before.known[name];
    }
    state.user = { began: before?.began ?? structuredClone(known), known };
  }

  begin(name: string, state: unknown): void {
    const { user } = this.#turn.state;
    if (user !== undefined) user.known[name] = jsonCopy(state);
  }

  /** Writes what the turn has changed. A write that fails does not fail the turn: an event says so. */
  async save(): Promise<void> {
    const { names, ctx, userId } = this.#kept;
    const { state } = this.#turn;
    const { middleware, user } = state;
    if (user === undefined) return;
    const changed = names.filter(
      (name) => middleware[name] !== undefined && !isSame(middleware[name], user.known[name]),
    );
    if (changed.length === 0) return;
    try {
      const states = await this.#write(changed, user.known);
      if (states === undefined) return;
      for (const name of changed) {
        user.known[name] = states[name];
        middleware[name] = jsonCopy(states[name]);
      }
    } catch (error) {
      ctx.progress({ kind: "user_state_failed", userId, message: messageOf(error) });
    }
  }

  /** `undefined` if the user was deleted meanwhile. */
  async #write(changed: readonly string[], known: Readonly<States>): Promise<Readonly<States> | undefined> {
    const { store, userId } = this.#kept;
    const { middleware } = this.#turn.state;
    let states: Readonly<States> = {};
    const written = await changeRow<UserRow>(store, userKey(userId), {
      decode,
      change: (row) => {
        if (row === undefined && this.#isKnown) return undefined;
        const next: States = { ...row?.states };
        for (const name of changed) next[name] = changedIn(next[name], known[name], middleware[name]);
        states = next;
        const changedRow: UserRow = { version: 1, states };
        const { byteLength } = rowBytes(changedRow);
        if (byteLength <= maxBytes) return changedRow;
        throw new KumikoError(
          "STORE_FAILED",
          `What is kept for user "${userId}" would have ${byteLength} bytes, and at most ${maxBytes} are kept. It stays as it was.`,
        );
      },
    });
    this.#isKnown = true;
    return written && states;
  }
}

/** A newer state with what one that began as `known` has changed, key by key. */
function changedIn(newest: unknown, known: unknown, own: unknown): unknown {
  if (isSame(own, known)) return newest ?? own;
  const [now = {}, before = {}] = [newest, known];
  if (!isFields(now) || !isFields(before) || !isFields(own)) return own;
  const merged: States = { ...now };
  for (const key of new Set([...Object.keys(before), ...Object.keys(own)])) {
    if (Object.hasOwn(own, key) === Object.hasOwn(before, key) && isSame(own[key], before[key])) continue;
    if (Object.hasOwn(own, key)) Object.defineProperty(merged, key, { ...plain, value: own[key] });
    else Reflect.deleteProperty(merged, key);
  }
  return merged;
}

const plain = { configurable: true, enumerable: true, writable: true } as const;

/** Whether two values are the same JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return canonicalText(jsonCopy(one), []) === canonicalText(jsonCopy(other), []);
}

function decode(data: Uint8Array): UserRow | undefined {
  const row = parseRow(data);
  return isFields(row) && row.version === 1 && isFields(row.states) ? (row as object as UserRow) : undefined;
}
