/** A text matches if it has all words. */
export const searchWords = (query: string): ReadonlyArray<string> =>
  query.toLowerCase().split(/\s+/u).filter(Boolean)

export const containsAllWords = (text: string, words: ReadonlyArray<string>): boolean =>
  words.every((word) => text.includes(word))
