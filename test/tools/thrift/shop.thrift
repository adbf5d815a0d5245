include "shared.thrift"

const i32 FEW = 3
const string GREETING = "hello"

typedef list<Item> Items

/** A thing that can be ordered. */
struct Item {
  /** What it is called in the shop. */
  1: required string sku
  2: optional i32 count = FEW
  3: double price
  4: binary photo
  5: optional Items parts
}

union Payment {
  1: string card
  2: i64 invoice
}

exception OutOfStock {
  1: string sku
  2: shared.OrderId left
}

exception Denied {
  1: string message
}

/** Holds a value of each kind. */
struct Order {
  1: shared.OrderId id
  2: Items items
  3: set<i64> tags
  4: map<string, string> notes
  5: map<shared.Country, list<i32>> stock
  6: Payment payment
  7: bool paid
  8: i8 tiny
  9: i16 small
  10: map<string, map<i32, set<string>>> deep
  11: shared.Address address
  12: list<bool> flags
  13: list<list<double>> grid
}

service Shop extends shared.Base {
  /**
   * Places an order.
   * Twice is twice.
   */
  Order place(1: Order order, 2: optional i64 limit) throws (1: OutOfStock out, 2: Denied denied)
  /** Gives back what it gets. */
  i64 count(1: shared.OrderId id)
  double weigh(1: double grams)
  string say(1: string text = GREETING)
  binary copy(1: binary bytes)
  oneway void note(1: string text)
  void clear()
  /** Never answers. */
  string wait(1: string text)
}
