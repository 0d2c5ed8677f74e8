import { isFields } from "./fields.ts"

/**
 * Kubernetes' feature gates that change how this control plane works.
 *
 * Source: pkg/features/kube_features.go of release 1.36 for names and defaults, k8s.io/component-base/featuregate
 * (Set, SetFromMap) for the syntax and its refusals.
 */
export interface FeatureGates {
  /**
   * Whether ReplicaSets and Deployments count terminating Pods in `status.terminatingReplicas`. Each new count wakes
   * the Deployment; without them nothing tells a Deployment that one of several old Pods is gone. Alpha in 1.33, on by
   * default from 1.35; releases before 1.33 do not have it.
   */
  readonly DeploymentReplicaSetTerminatingReplicas: boolean
}

const defaults: FeatureGates = { DeploymentReplicaSetTerminatingReplicas: true }

/** Every gate, with the default of each one that is left out. */
export const featureGates = (given: Partial<FeatureGates> = {}): FeatureGates => ({ ...defaults, ...given })

/** Why these gates cannot be set, a sentence each. */
export const featureGateProblems = (given: unknown): ReadonlyArray<string> => {
  if (given === undefined) return []
  if (!isFields(given)) return [`featureGates must be an object of gates, not ${JSON.stringify(given)}`]
  return Object.entries(given).flatMap(([name, value]) => {
    if (!Object.hasOwn(defaults, name)) return [`unrecognized feature gate: ${name}`]
    return typeof value === "boolean"
      ? []
      : [`invalid value of ${name}=${JSON.stringify(value)}, not a boolean`]
  })
}

/** The words for a boolean that Go's strconv.ParseBool knows. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((word) => [word, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((word) => [word, false] as const)
])

/** Reads `Name=true,Other=false`, the syntax of Kubernetes' `--feature-gates`; a text is why it cannot be read. */
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
