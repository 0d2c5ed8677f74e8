/**
 * Several messages as one, as Go joins errors: two or more stand in brackets.
 * Source: staging/src/k8s.io/apimachinery/pkg/util/errors/errors.go (Aggregate).
 */
export const aggregateText = (texts: ReadonlyArray<string>): string =>
  texts.length > 1 ? `[${texts.join(", ")}]` : texts.join("")
