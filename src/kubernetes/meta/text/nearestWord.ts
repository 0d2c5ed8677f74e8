export const nearestWord = (
  word: string,
  words: ReadonlyArray<string>,
  { distanceMax = Math.max(2, Math.ceil(word.length / 3)) }: { readonly distanceMax?: number } = {}
): string | undefined => {
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const candidate of words) {
    // A difference in length is a lower bound of the distance.
    if (Math.abs(word.length - candidate.length) > distanceMax) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= distanceMax && distance < (best?.distance ?? Infinity))
      best = { word: candidate, distance }
  }
  return best?.word
}

/** Short names are similar by chance. */
export const nearestName = (name: string, names: ReadonlyArray<string>): string | undefined =>
  nearestWord(name, names, { distanceMax: Math.min(2, Math.floor(name.length / 4)) })

const editDistance = (a: string, b: string): number => {
  let rowBeforeLast: ReadonlyArray<number> = []
  let lastRow: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substitutionCost = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          (lastRow[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (lastRow[j - 1] ?? 0) + substitutionCost,
          isSwap ? (rowBeforeLast[j - 2] ?? 0) + 1 : Infinity
        )
      )
    }
    rowBeforeLast = lastRow
    lastRow = row
  }
  return lastRow[b.length] ?? 0
}
