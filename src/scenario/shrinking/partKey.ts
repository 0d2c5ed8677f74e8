const functionNumbers = new WeakMap<WeakKey, number>()
let lastNumber = 0

/** Functions are numbered, since two with the same source text may capture different values. */
const functionNumber = (predicate: WeakKey): number => {
  let number = functionNumbers.get(predicate)
  if (number === undefined) functionNumbers.set(predicate, (number = lastNumber += 1))
  return number
}

/** A text for a story or a part of it, such as a step; equal only for equal parts. */
export const partKey = (part: unknown): string =>
  typeof part === "string" ? part : JSON.stringify(part, (_key, value: unknown) => replaceFunction(value))

const replaceFunction = (value: unknown): unknown =>
  typeof value === "function" ? `ƒ${functionNumber(value)}` : value
