import type { WireType } from "../../admission/decoding/wireTypes.ts"

/**
 * A list without a rule is one value. Source: the patchStrategy and patchMergeKey tags in k8s.io/api.
 */
export type MergeRule =
  /** With `retainKeys`, an element has only the patch's fields. */
  | { readonly type: "byKey"; readonly key: string; readonly retainKeys: boolean }
  /** A list of scalars without duplicates. */
  | { readonly type: "set" }
  /** Fields that the patch does not list are dropped. */
  | { readonly type: "retainKeys" }
  | { readonly type: "replace" }

const byKey = (key: string): MergeRule => ({ type: "byKey", key, retainKeys: false })
const byKeyRetaining = (key: string): MergeRule => ({ type: "byKey", key, retainKeys: true })
const set: MergeRule = { type: "set" }

const containerRules: Readonly<Record<string, MergeRule>> = {
  env: byKey("name"),
  ports: byKey("containerPort"),
  volumeDevices: byKey("devicePath"),
  volumeMounts: byKey("mountPath")
}

const rulesByStruct: Readonly<Record<string, Readonly<Record<string, MergeRule>>>> = {
  CSINodeSpec: { drivers: byKey("name") },
  Container: containerRules,
  DeploymentSpec: { strategy: { type: "retainKeys" } },
  EphemeralContainer: containerRules,
  MutatingAdmissionPolicySpec: { matchConditions: byKey("name") },
  MutatingWebhook: { matchConditions: byKey("name") },
  MutatingWebhookConfiguration: { webhooks: byKey("name") },
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
    resourceClaims: byKeyRetaining("name"),
    schedulingGates: byKey("name"),
    topologySpreadConstraints: byKey("topologyKey"),
    volumes: byKeyRetaining("name")
  },
  PodStatus: { hostIPs: byKey("ip"), podIPs: byKey("ip"), resourceClaimStatuses: byKeyRetaining("name") },
  ResourceClaimStatus: { reservedFor: byKey("uid") },
  ServiceAccount: { secrets: byKey("name") },
  ServiceSpec: { ports: byKey("port") },
  ValidatingAdmissionPolicySpec: { matchConditions: byKey("name"), variables: byKey("name") },
  ValidatingWebhook: { matchConditions: byKey("name") },
  ValidatingWebhookConfiguration: { webhooks: byKey("name") }
}

const conditions = byKey("type")
const structsReplacingConditions: ReadonlySet<WireType> = new Set(["CertificateSigningRequestStatus"])

/** Without a rule, maps are merged and lists are replaced. */
export const mergeRuleOf = (struct: WireType, field: string): MergeRule | undefined => {
  if (field === "conditions" && struct.endsWith("Status") && !structsReplacingConditions.has(struct))
    return conditions
  const structRules = Object.hasOwn(rulesByStruct, struct) ? rulesByStruct[struct] : undefined
  return structRules !== undefined && Object.hasOwn(structRules, field) ? structRules[field] : undefined
}
