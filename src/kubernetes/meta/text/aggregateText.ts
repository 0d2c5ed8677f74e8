/** Source: errors/errors.go (Aggregate). */
export const aggregateText = (texts: ReadonlyArray<string>): string =>
  texts.length > 1 ? `[${texts.join(", ")}]` : texts.join("")
