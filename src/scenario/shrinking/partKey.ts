const functionNumbers = new WeakMap<WeakKey, number>()
let lastNumber = 0

/** Functions with the same source may capture different values. */
const functionNumber = (predicate: WeakKey): number => {
  let number = functionNumbers.get(predicate)
  if (number === undefined) functionNumbers.set(predicate, (number = lastNumber += 1))
  return number
}

/** Equal texts for equal stories, or parts of stories. */
export const partKey = (part: unknown): string =>
  typeof part === "string" ? part : JSON.stringify(part, (_key, value: unknown) => replaceFunction(value))

const replaceFunction = (value: unknown): unknown =>
  typeof value === "function" ? `ƒ${functionNumber(value)}` : value
