import type { ScalarTag, Tags } from "yaml"

/** Booleans of YAML 1.1, which Kubernetes reads: a label `enabled: yes` is no string. */
const boolean: ScalarTag = {
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text)
}

/** Octal integers of YAML 1.1, as in `defaultMode: 0644`. */
const octal: ScalarTag = {
  default: true,
  tag: "tag:yaml.org,2002:int",
  test: /^[-+]?0[0-7]+$/,
  resolve: (digits) => Number.parseInt(digits, 8)
}

/**
 * The last of duplicate fields wins; callers check for duplicates. Source: sigs.k8s.io/yaml and its fork of go-yaml
 * v2 (resolve.go).
 */
export const yamlParseOptions = {
  customTags: (tags: Tags): Tags => [boolean, octal, ...tags],
  merge: true,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false
} as const

/** Limits the expansion of aliases, against "billion laughs" files. */
export const yamlAliasUsesMax = 100

export const yamlErrorText = (error: unknown): string => {
  if (!(error instanceof ReferenceError)) return "map merge requires map or sequence of maps as the value"
  const [, anchor] = /^Unresolved alias .*: (.*)$/.exec(error.message) ?? []
  return anchor === undefined
    ? "document contains excessive aliasing"
    : `unknown anchor '${anchor}' referenced`
}
