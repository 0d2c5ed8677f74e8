/** Keeps the latest result, because a chart evaluates the same guard in many places. */
export const memoizePerObservation = <Observation extends object, A>(
  compute: (observation: Observation) => A
): ((observation: Observation) => A) => {
  let latest: { readonly observation: Observation; readonly result: A } | undefined
  return (observation) => {
    if (latest?.observation === observation) return latest.result
    const result = compute(observation)
    latest = { observation, result }
    return result
  }
}
