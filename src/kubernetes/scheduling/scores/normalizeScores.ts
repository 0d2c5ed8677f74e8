/** The scheduler's `MaxNodeScore`. */
export const scoreMax = 100

/** `lowIsGood`: a score of 0 becomes 100. Source: normalize_score.go. */
export const normalizeScores = (
  scores: ReadonlyArray<number>,
  { lowIsGood = false }: { readonly lowIsGood?: boolean } = {}
): ReadonlyArray<number> => {
  const most = Math.max(0, ...scores)
  if (most === 0) return lowIsGood ? scores.map(() => scoreMax) : scores
  return scores.map((score) => {
    const scaled = Math.trunc((scoreMax * score) / most)
    return lowIsGood ? scoreMax - scaled : scaled
  })
}
