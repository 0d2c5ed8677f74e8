/** The word that somebody may have meant, where one is near enough. */
export const nearest = (word: string, words: ReadonlyArray<string>): string | undefined => {
  const far = Math.max(2, Math.ceil(word.length / 3))
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const candidate of words) {
    // No less far than that: a word of a million letters is compared with none.
    if (Math.abs(word.length - candidate.length) > far) continue
    const distance = distanceOf(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= far && distance < (best?.distance ?? Infinity)) best = { word: candidate, distance }
  }
  return best?.word
}

/** How many letters must be put in, left out, changed or swapped with their neighbour. */
const distanceOf = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + same,
          isSwap ? (before[j - 2] ?? 0) + 1 : Infinity
        )
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
