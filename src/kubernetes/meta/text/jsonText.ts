/** Undefined values become null, so that every report of a kind has the same fields. */
export const jsonText = (report: object): string =>
  JSON.stringify(report, (_key, value: unknown) => (value === undefined ? null : value), 2)
