export interface TextPart {
  readonly text: string
  /** Where the part begins in the whole text. */
  readonly linesBefore: number
  readonly columnsBefore: number
}

/**
 * The objects of a text in JSON that follow each other. Any other text is one part.
 * Source: k8s.io/apimachinery/pkg/util/yaml (decoder.go, YAMLOrJSONDecoder).
 */
export const splitJsonStream = (text: string): ReadonlyArray<TextPart> => {
  const parts: Array<TextPart> = []
  let [linesBefore, lineStart] = [0, 0]
  for (let start = 0; text.slice(start).trim() !== "";) {
    const end = endOfObject(text, start)
    if (end === undefined || !isJson(text.slice(start, end))) return [wholeText(text)]
    parts.push({ text: text.slice(start, end), linesBefore, columnsBefore: start - lineStart })
    for (
      let next = text.indexOf("\n", lineStart);
      next !== -1 && next < end;
      next = text.indexOf("\n", lineStart)
    ) {
      linesBefore += 1
      lineStart = next + 1
    }
    start = end
  }
  return parts.length > 1 ? parts : [wholeText(text)]
}

const wholeText = (text: string): TextPart => ({ text, linesBefore: 0, columnsBefore: 0 })

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
