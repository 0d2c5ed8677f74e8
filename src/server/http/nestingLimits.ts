import { badRequest } from "./statuses.ts"

/**
 * The deepest nesting of a request body. Recursive code walks bodies, so this bounds the stack.
 *
 * Unlike Kubernetes, which gives up at 10,000.
 */
const depthMax = 250

const depthRefusal = () => badRequest(`the body of the request is nested more than ${depthMax} levels deep`)

const [quote, escape] = [0x22, 0x5c]
const [listBegin, listEnd, mapBegin, mapEnd] = [0x5b, 0x5d, 0x7b, 0x7d]

export const limitJsonDepth = (bytes: Buffer): void => {
  let depth = 0
  let isInString = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (isInString) {
      if (byte === escape) at += 1
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === listBegin || byte === mapBegin) {
      depth += 1
      if (depth > depthMax) throw depthRefusal()
    } else if (byte === listEnd || byte === mapEnd) depth -= 1
  }
}

/** Four tags or anchors in a row, or 20 nested lists on one line, which would be slow to parse. */
const costlyYaml = /(?:[!&]\S*\s+){4}|^[ ]*(?:[-?][ \t]+){20}/m

export const limitYamlDepth = (text: string): void => {
  if (costlyYaml.test(text)) throw depthRefusal()
  let depth = 0
  for (const mark of text.matchAll(/[[\]{}]/g)) {
    depth = mark[0] === "[" || mark[0] === "{" ? depth + 1 : Math.max(0, depth - 1)
    if (depth > depthMax) throw depthRefusal()
  }
}

export const limitValueDepth = (value: unknown, depth = 0): void => {
  if (typeof value !== "object" || value === null) return
  if (depth >= depthMax) throw depthRefusal()
  for (const item of Object.values(value)) limitValueDepth(item, depth + 1)
}
