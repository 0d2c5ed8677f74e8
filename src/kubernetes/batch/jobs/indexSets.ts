/** Source: pkg/controller/job/indexed_job_utils.go (orderedIntervals). */
export const parseIndexSet = (text = ""): ReadonlySet<number> => {
  const indexes = new Set<number>()
  for (const interval of text.split(",").filter((it) => it !== "")) {
    const [first = "", last = first] = interval.split("-")
    for (let index = Number(first); index <= Number(last); index += 1) indexes.add(index)
  }
  return indexes
}

/** Two consecutive indexes are written one by one: `1,2,4-6`. */
export const formatIndexSet = (indexes: ReadonlySet<number>): string => {
  const texts: Array<string> = []
  const sorted = [...indexes].sort((a, b) => a - b)
  for (let start = 0; start < sorted.length;) {
    let end = start
    while ((sorted[end + 1] ?? Number.NaN) - (sorted[end] ?? Number.NaN) === 1) end += 1
    const length = end - start + 1
    texts.push(length > 2 ? `${sorted[start]}-${sorted[end]}` : sorted.slice(start, end + 1).join(","))
    start = end + 1
  }
  return texts.join(",")
}
