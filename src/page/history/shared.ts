/**
 * `after`, with whatever in it is as in `before` being the same object: versions of one object share what did not
 * change between them, and a history of thousands of them takes little more than their differences.
 */
export const shared = <A>(before: A, after: A): A => {
  if (Object.is(before, after) || !isNested(before) || !isNested(after)) return after
  // What is nested and shared is so at any depth, whatever it is.
  return sharedWithin(before, after) as A
}

const sharedWithin = (before: Nested, after: Nested): Nested => {
  if (Array.isArray(before) !== Array.isArray(after)) return after
  const keys = Object.keys(after)
  let isSame = Object.keys(before).length === keys.length
  for (const key of keys) {
    const [was, is] = [before[key], after[key]]
    const kept = shared(was, is)
    if (!Object.is(was, kept)) isSame = false
    // It was parsed for us alone: nobody else has seen it yet.
    if (!Object.is(is, kept)) after[key] = kept
  }
  return isSame ? before : after
}

type Nested = Record<string, unknown>

const isNested = (value: unknown): value is Nested => typeof value === "object" && value !== null
