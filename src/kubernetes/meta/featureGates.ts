import { isFields } from "./fields.ts"
import { goQuote } from "./text/goQuote.ts"

/** Source: kube_features.go of 1.36; k8s.io/component-base/featuregate (Set, SetFromMap). */
export interface FeatureGates {
  /**
   * Counts terminating Pods in `status.terminatingReplicas`. Each new count wakes the Deployment, which
   * otherwise does not notice that one of several old Pods is gone.
   */
  readonly DeploymentReplicaSetTerminatingReplicas: boolean
}

const defaults: FeatureGates = { DeploymentReplicaSetTerminatingReplicas: true }

export const resolveFeatureGates = (gates: Partial<FeatureGates> = {}): FeatureGates => ({
  ...defaults,
  ...gates
})

export const featureGateProblems = (gates: unknown): ReadonlyArray<string> => {
  if (gates === undefined) return []
  if (!isFields(gates)) return [`featureGates must be an object of gates, not ${JSON.stringify(gates)}`]
  return Object.entries(gates).flatMap(([name, value]) => {
    if (!Object.hasOwn(defaults, name)) return [`unrecognized feature gate: ${name}`]
    return typeof value === "boolean"
      ? []
      : [`invalid value of ${name}=${JSON.stringify(value)}, not a boolean`]
  })
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((word) => [word, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((word) => [word, false] as const)
])

/** Returns the problem of an invalid text as a string. */
export const parseFeatureGates = (text: string): Partial<FeatureGates> | string => {
  const gates: Record<string, boolean> = {}
  for (const pair of text.split(",").filter((it) => it !== "")) {
    const [name = "", ...rest] = pair.split("=")
    const [gate, word] = [name.trim(), rest.join("=").trim()]
    if (rest.length === 0) return `missing bool value for ${gate}`
    const value = booleans.get(word)
    if (value === undefined) {
      return `invalid value of ${gate}=${word}, err: strconv.ParseBool: parsing ${goQuote(word)}: invalid syntax`
    }
    if (!Object.hasOwn(defaults, gate)) return `unrecognized feature gate: ${gate}`
    gates[gate] = value
  }
  const [problem] = featureGateProblems(gates)
  return problem ?? gates
}
