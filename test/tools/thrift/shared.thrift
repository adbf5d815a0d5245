/** Of several services. */
namespace js shared

/** A country, as on a stamp. */
enum Country {
  NL = 1,
  JP = 81
  US
}

typedef i64 OrderId

struct Address {
  1: required string street
  2: Country country = Country.NL
}

service Base {
  /** Says that it is there. */
  string ping()
}
