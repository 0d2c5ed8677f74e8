/** Takes unchanged parts of `after` from `before`, which saves memory in a history of versions. */
export const shareUnchanged = <A>(before: A, after: A): A => {
  if (Object.is(before, after) || !isNested(before) || !isNested(after)) return after
  return shareWithin(before, after) as A
}

const shareWithin = (before: Nested, after: Nested): Nested => {
  if (Array.isArray(before) !== Array.isArray(after)) return after
  const keys = Object.keys(after)
  let isSame = Object.keys(before).length === keys.length
  for (const key of keys) {
    const [old, current] = [before[key], after[key]]
    const result = shareUnchanged(old, current)
    if (!Object.is(old, result)) isSame = false
    // `after` was parsed for this history only, so it may be changed in place.
    if (!Object.is(current, result)) after[key] = result
  }
  return isSame ? before : after
}

type Nested = Record<string, unknown>

const isNested = (value: unknown): value is Nested => typeof value === "object" && value !== null
