/** After `max` keys all results are forgotten. A result of undefined is never kept. */
export const memoizeUpTo = <K, V>(max: number, compute: (key: K) => V): ((key: K) => V) => {
  const results = new Map<K, V>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const result = compute(key)
    if (results.size >= max) results.clear()
    if (result !== undefined) results.set(key, result)
    return result
  }
}
