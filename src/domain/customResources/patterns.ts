import { RE2JS } from "re2js"

/** Whether a text matches a pattern. */
type Pattern = (text: string) => boolean

/**
 * Reads a pattern of a schema; undefined for one that cannot be read. It takes time in proportion to the text it is
 * asked about, whatever the pattern, as in Kubernetes: nobody can write one that keeps the server busy for ever.
 *
 * Source: k8s.io/kube-openapi/pkg/validation/validate/values.go (Pattern).
 */
export const readPattern = (source: string): Pattern | undefined => {
  let shape: RE2JS
  try {
    shape = RE2JS.compile(source)
  } catch {
    return undefined
  }
  return (text) => shape.matcher(text).find()
}
