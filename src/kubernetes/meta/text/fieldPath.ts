export type DocumentPath = ReadonlyArray<string | number>

export const formatFieldPath = (path: DocumentPath): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join("")

export const parseFieldPath = (field: string): DocumentPath =>
  [...field.matchAll(/\[(?<inner>[^\]]*)\]|[^.[\]]+/g)].map(({ 0: part, groups }) => {
    const inner = groups?.["inner"]
    if (inner === undefined) return part
    return /^\d+$/.test(inner) ? Number(inner) : inner
  })
