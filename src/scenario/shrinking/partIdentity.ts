const functionNumbers = new WeakMap<WeakKey, number>()
let last = 0

/** Functions are numbered, since two with the same source text may capture different values. */
const functionNumber = (it: WeakKey): number => {
  let number = functionNumbers.get(it)
  if (number === undefined) functionNumbers.set(it, (number = last += 1))
  return number
}

/** A text that is equal only for equal parts of a story. */
export const partIdentity = (it: unknown): string =>
  typeof it === "string" ? it : JSON.stringify(it, (_key, part: unknown) => replaceFunction(part))

const replaceFunction = (part: unknown): unknown =>
  typeof part === "function" ? `ƒ${functionNumber(part)}` : part
