/** The words of a search; a text that has all of them is found. */
export const searchWords = (query: string): ReadonlyArray<string> =>
  query.toLowerCase().split(/\s+/u).filter(Boolean)

export const containsAll = (text: string, words: ReadonlyArray<string>): boolean =>
  words.every((word) => text.includes(word))
