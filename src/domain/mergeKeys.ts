import type { WireType } from "./admission/wireTypes.ts"

/**
 * Which lists are sets of elements with a key of their own, and which maps keep nothing beside what a
 * manifest says of them. Every other list is one value.
 *
 * Source: the patchStrategy and patchMergeKey tags in staging/src/k8s.io/api (core/v1, apps/v1,
 * policy/v1) and staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
 */
export type MergeRule =
  /** A list of elements named by a field; with `retainKeys`, each is just as the manifest has it. */
  | { readonly type: "byKey"; readonly key: string; readonly retainKeys: boolean }
  /** A list of plain values in which each counts once. */
  | { readonly type: "set" }
  /** A map that is one of several shapes: fields of another shape must not survive. */
  | { readonly type: "retainKeys" }
  /** A map that is one value. */
  | { readonly type: "replace" }

const byKey = (key: string): MergeRule => ({ type: "byKey", key, retainKeys: false })
const oneOf = (key: string): MergeRule => ({ type: "byKey", key, retainKeys: true })
const set: MergeRule = { type: "set" }

const containerRules: Readonly<Record<string, MergeRule>> = {
  env: byKey("name"),
  ports: byKey("containerPort"),
  volumeDevices: byKey("devicePath"),
  volumeMounts: byKey("mountPath")
}

const rules: Readonly<Record<string, Readonly<Record<string, MergeRule>>>> = {
  Container: containerRules,
  DeploymentSpec: { strategy: { type: "retainKeys" } },
  EphemeralContainer: containerRules,
  NodeSpec: { podCIDRs: set },
  NodeStatus: { addresses: byKey("type") },
  ObjectMeta: { finalizers: set, ownerReferences: byKey("uid") },
  PodDisruptionBudgetSpec: { selector: { type: "replace" } },
  PodSpec: {
    containers: byKey("name"),
    ephemeralContainers: byKey("name"),
    hostAliases: byKey("ip"),
    imagePullSecrets: byKey("name"),
    initContainers: byKey("name"),
    resourceClaims: oneOf("name"),
    schedulingGates: byKey("name"),
    topologySpreadConstraints: byKey("topologyKey"),
    volumes: oneOf("name")
  },
  PodStatus: { hostIPs: byKey("ip"), podIPs: byKey("ip"), resourceClaimStatuses: oneOf("name") },
  ServiceAccount: { secrets: byKey("name") },
  ServiceSpec: { ports: byKey("port") }
}

const conditions = byKey("type")
/** Statuses whose conditions have no merge key. */
const replacesConditions: ReadonlySet<WireType> = new Set(["CertificateSigningRequestStatus"])

/**
 * The rule for a field of a struct, or undefined where the field is merged as any map and replaced as any
 * list.
 */
export const mergeRuleOf = (struct: WireType, field: string): MergeRule | undefined => {
  if (field === "conditions" && struct.endsWith("Status") && !replacesConditions.has(struct))
    return conditions
  const ofStruct = Object.hasOwn(rules, struct) ? rules[struct] : undefined
  return ofStruct !== undefined && Object.hasOwn(ofStruct, field) ? ofStruct[field] : undefined
}
