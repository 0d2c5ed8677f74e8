import { badRequest } from "./statuses.ts"

/** Bounds the stack of recursive code. Unlike Kubernetes, whose limit is 10,000. */
const depthMax = 250

const depthRefusal = () => badRequest(`the body of the request is nested more than ${depthMax} levels deep`)

const [quote, escape] = [0x22, 0x5c]
const [listBegin, listEnd, mapBegin, mapEnd] = [0x5b, 0x5d, 0x7b, 0x7d]

export const limitJsonDepth = (bytes: Buffer): void => {
  let depth = 0
  let isInString = false
  for (let offset = 0; offset < bytes.length; offset += 1) {
    const byte = bytes[offset]
    if (isInString) {
      if (byte === escape) offset += 1
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === listBegin || byte === mapBegin) {
      depth += 1
      if (depth > depthMax) throw depthRefusal()
    } else if (byte === listEnd || byte === mapEnd) depth -= 1
  }
}

/** The YAML parser would take very long for texts with these patterns. */
const slowYamlPatterns: ReadonlyArray<readonly [pattern: RegExp, problem: string]> = [
  [
    /(?:[!&]\S*\s+){4}/,
    "has four YAML tags or anchors in a row (words that begin with ! or &), and may have three"
  ],
  [/^[ ]*(?:[-?][ \t]+){20}/m, "begins 20 nested lists or keys on one line of YAML, and may begin 19"]
]

export const limitYamlDepth = (text: string): void => {
  const [, problem] = slowYamlPatterns.find(([pattern]) => pattern.test(text)) ?? []
  if (problem !== undefined) throw badRequest(`the body of the request ${problem}`)
  let depth = 0
  // A rough bound, before the text is parsed: brackets in strings count, too.
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1)
    if (depth > depthMax) throw depthRefusal()
  }
}

export const limitValueDepth = (value: unknown, depth = 0): void => {
  if (typeof value !== "object" || value === null) return
  if (depth >= depthMax) throw depthRefusal()
  for (const item of Object.values(value)) limitValueDepth(item, depth + 1)
}
