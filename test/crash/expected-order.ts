import { items, type Receipt, rounds } from "./order-graph.js";

/** What has to be answered, by the kind of the question. */
export const answers: Readonly<Record<string, unknown>> = { confirm: "yes", approve: { name: "Ada" } };

/** The effects of one run, each with those that are behind it when it begins. */
export function expectedEffects(): ReadonlyMap<string, readonly string[]> {
  const effects = new Map<string, readonly string[]>();
  const add = (names: readonly string[], before: readonly string[]): readonly string[] => {
    for (const name of names) effects.set(name, before);
    return names;
  };
  let last = add(["receive.do"], []);
  last = add(["price.do", "stock.do", "address.do"], last);
  last = add(["gather.do"], last);
  last = add(["box.do"], last);
  last = add(["label.do", "weigh.do"], last);
  last = add(["seal.do"], last);
  for (let round = 1; round <= rounds; round++) {
    const planned = add([`plan_${round}.do`], last);
    const lone = add([`reserve_${round}.do`, `notify_${round}.do`], planned);
    const paid = add([`pay_${round}.receipt`], add([`pay_${round}.charge`], planned));
    const asked = round === 2 ? add(["confirm_2.do"], add(["confirm_2.letter"], planned)) : [];
    last = add([`review_${round}.do`], [...lone, ...paid, ...asked]);
  }
  const audit = (n: number, before: readonly string[]) => add([`check_${n}.do`], add([`open_${n}.do`], before));
  const second = audit(2, audit(1, last));
  last = [...audit(3, second), ...audit(4, second)];
  last = add(["approve.note"], add(["approve.ticket"], last));
  last = add(["ship.do", "bill.do"], last);
  add(["close.do"], last);
  return effects;
}

export const expectedReceipt: Receipt = {
  total: items * 111,
  results: {
    1: ["reserved 1", "paid 1", "told 1"],
    2: ["reserved 2", "paid 2", "told 2", "yes 2"],
    3: ["reserved 3", "paid 3", "told 3"],
  },
  seen: ["address", "price", "receive", "stock"],
  audits: [1, 4, 9, 16],
  approvedBy: "Ada",
};
