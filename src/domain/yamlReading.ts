import type { ScalarTag, Tags } from "yaml"

/** Words that YAML 1.2 no longer takes for truths, and Kubernetes does: a label `enabled: yes` is no text. */
const boolean: ScalarTag = {
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/,
  resolve: (word) => /^(?:y|on)/i.test(word)
}

/** The modes of files are written so: `defaultMode: 0644`. */
const octal: ScalarTag = {
  default: true,
  tag: "tag:yaml.org,2002:int",
  test: /^[-+]?0[0-7]+$/,
  resolve: (digits) => Number.parseInt(digits, 8)
}

/**
 * Reads YAML as Kubernetes does: YAML 1.1's `yes` and `0644` mean true and 420, `<<` merges, tags and dates mean
 * nothing. Of a field that is given twice the last one counts; who is to be told of it must look for himself.
 *
 * Source: sigs.k8s.io/yaml and its fork of go-yaml v2 (resolve.go).
 */
export const yamlReading = {
  customTags: (tags: Tags): Tags => [boolean, octal, ...tags],
  merge: true,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false
} as const

/** As often as one anchor may be used, counting what its aliases stand for in turn. */
export const aliasUsesMax = 100

/** Why what was read has no value, in the words of go-yaml. */
export const whyNoValue = (error: unknown): string => {
  if (!(error instanceof ReferenceError)) return "map merge requires map or sequence of maps as the value"
  const [, anchor] = /^Unresolved alias .*: (.*)$/.exec(error.message) ?? []
  return anchor === undefined
    ? "document contains excessive aliasing"
    : `unknown anchor '${anchor}' referenced`
}
