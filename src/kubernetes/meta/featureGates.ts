import { isFields } from "./fields.ts"

/**
 * The feature gates of Kubernetes that this control plane honours.
 * Source: pkg/features/kube_features.go of release 1.36 for names and defaults, k8s.io/component-base/featuregate
 * (Set, SetFromMap) for the syntax and its refusals.
 */
export interface FeatureGates {
  /**
   * Whether ReplicaSets and Deployments count terminating Pods in `status.terminatingReplicas`. Each new count
   * wakes the Deployment; without it, a Deployment does not notice that one of several old Pods is gone. Alpha in
   * 1.33, on by default from 1.35; absent before 1.33.
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

/** Parses `Name=true,Other=false`, the syntax of `--feature-gates`. Returns the problem as a string. */
export const parseFeatureGates = (text: string): Partial<FeatureGates> | string => {
  const gates: Record<string, boolean> = {}
  for (const pair of text.split(",").filter((it) => it !== "")) {
    const [name = "", ...rest] = pair.split("=")
    const [gate, word] = [name.trim(), rest.join("=").trim()]
    if (rest.length === 0) return `missing bool value for ${gate}`
    const value = booleans.get(word)
    if (value === undefined) {
      return `invalid value of ${gate}=${word}, err: strconv.ParseBool: parsing ${JSON.stringify(word)}: invalid syntax`
    }
    if (!Object.hasOwn(defaults, gate)) return `unrecognized feature gate: ${gate}`
    gates[gate] = value
  }
  const [problem] = featureGateProblems(gates)
  return problem ?? gates
}
