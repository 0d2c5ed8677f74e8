/**
 * The objects of a text in JSON that follow each other, each after as many blanks and line breaks as there is text
 * before it, so that positions stay. Any other text is returned as it is.
 * Source: k8s.io/apimachinery/pkg/util/yaml (decoder.go, YAMLOrJSONDecoder).
 */
export const splitJsonStream = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let start = 0; text.slice(start).trim() !== "";) {
    const end = endOfObject(text, start)
    if (end === undefined || !isJson(text.slice(start, end))) return [text]
    parts.push(text.slice(0, start).replace(/[^\n]/g, " ") + text.slice(start, end))
    start = end
  }
  return parts.length > 1 ? parts : [text]
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}]/gsu

const endOfObject = (text: string, start: number): number | undefined => {
  if (!/^\s*\{/u.test(text.slice(start, start + 4096))) return undefined
  let depth = 0
  tokens.lastIndex = start
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    if (match[0] === "{") depth++
    else if (match[0] === "}" && --depth === 0) return tokens.lastIndex
  }
  return undefined
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
