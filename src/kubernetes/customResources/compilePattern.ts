import { RE2JS } from "re2js"

type Pattern = (text: string) => boolean

/**
 * Compiles a schema's pattern; undefined if it is invalid. RE2 matches in linear time, so that no pattern can block
 * the server.
 * Source: k8s.io/kube-openapi/pkg/validation/validate/values.go (Pattern).
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
