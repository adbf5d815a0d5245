import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Whether an address is loopback, private, reserved or invalid. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return blocked().check(address, "ipv4");
  if (!isIPv6(address)) return true;
  const inside = embeddedIPv4(address);
  return blocked().check(address, "ipv6") || (inside !== undefined && blocked().check(inside, "ipv4"));
}

function blocked(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, "ipv6");
  return list;
}

/** The networks that are not globally reachable, from the IANA special-purpose address registries. */
const ipv4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const ipv6: readonly (readonly [string, number])[] = [
  ["::", 128],
  ["::1", 128],
  ["100::", 64],
  ["2001:db8::", 32],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

/** The IPv4 address in an IPv6 address: mapped, compatible, translated (64:ff9b::/96) or 6to4. */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [first, second] = groups;
  const isLast = groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0xffff || groups[5] === 0);
  if (isLast || (first === 0x64 && second === 0xff9b)) return dotted(groups[6], groups[7]);
  return first === 0x2002 ? dotted(groups[1], groups[2]) : undefined;
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const read = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return read(head);
  const [before, after] = [read(head), read(tail)];
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
