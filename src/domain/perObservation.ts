/**
 * Remembers the answer to a question about an observation. The chart asks the same of one observation in many places
 * before it looks at the next, and an observation never changes.
 */
export const perObservation = <Seen extends object, A>(ask: (seen: Seen) => A): ((seen: Seen) => A) => {
  let latest: { readonly seen: Seen; readonly answer: A } | undefined
  return (seen) => {
    if (latest?.seen === seen) return latest.answer
    const answer = ask(seen)
    latest = { seen, answer }
    return answer
  }
}
