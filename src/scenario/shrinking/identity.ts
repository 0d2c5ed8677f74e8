const numbers = new WeakMap<WeakKey, number>()
let last = 0

/** A function by a number of its own: two of the same text may hold of different things. */
const numberOf = (it: WeakKey): number => {
  let number = numbers.get(it)
  if (number === undefined) numbers.set(it, (number = last += 1))
  return number
}

/** What is written, in a line that is another for anything else: functions are told apart as well. */
export const identityOf = (it: unknown): string =>
  typeof it === "string" ? it : JSON.stringify(it, (_key, part: unknown) => numbered(part))

const numbered = (part: unknown): unknown => (typeof part === "function" ? `ƒ${numberOf(part)}` : part)
