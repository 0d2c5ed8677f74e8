import { RE2JS } from "re2js"

type Pattern = (text: string) => boolean

/**
 * Undefined for an invalid pattern. RE2 matches in linear time, so that no pattern can block the
 * server.
 */
export const compilePattern = (source: string): Pattern | undefined => {
  let regex: RE2JS
  try {
    regex = RE2JS.compile(source)
  } catch {
    return undefined
  }
  return (text) => regex.matcher(text).find()
}
