/**
 * Remembers the answer to a question about an observation. The chart asks the same of one observation in many places,
 * and an observation never changes.
 */
export const perObservation = <Seen extends object, A>(ask: (seen: Seen) => A): ((seen: Seen) => A) => {
  const answers = new WeakMap<Seen, { readonly answer: A }>()
  return (seen) => {
    const known = answers.get(seen)
    if (known !== undefined) return known.answer
    const answer = ask(seen)
    answers.set(seen, { answer })
    return answer
  }
}
