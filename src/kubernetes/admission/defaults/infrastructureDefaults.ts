import { canonicalAmounts } from "./containerDefaults.ts"
import { changeValue, fillField, fillComputed, fillPointer, type FieldDefault } from "./fieldDefaults.ts"
import type { Fields } from "../../meta/fields.ts"

/**
 * Source:
 * pkg/apis/{autoscaling/v2,discovery/v1,networking/v1,rbac/v1,resource/v1,core/v1}/defaults.go.
 */

const rbacGroup = "rbac.authorization.k8s.io"

const roleBinding: ReadonlyArray<FieldDefault> = [
  fillField("roleRef", {}),
  fillField("roleRef.apiGroup", rbacGroup),
  fillComputed("subjects[].apiGroup", ({ kind }) =>
    kind === "User" || kind === "Group" ? rbacGroup : undefined
  )
]

const policyTypes = (spec: Fields): ReadonlyArray<string> =>
  Array.isArray(spec["egress"]) && spec["egress"].length > 0 ? ["Ingress", "Egress"] : ["Ingress"]

const networkPorts = (path: string): FieldDefault => fillPointer(`${path}[].ports[].protocol`, "TCP")

const deviceRequest = (path: string): ReadonlyArray<FieldDefault> => [
  fillField(`${path}.allocationMode`, "ExactCount"),
  {
    path: `${path}.count`,
    replacesZero: true,
    fill: ({ allocationMode }) => (allocationMode === "ExactCount" ? 1 : undefined)
  },
  fillField(`${path}.tolerations[].operator`, "Equal")
]

const deviceClaim = (path: string): ReadonlyArray<FieldDefault> => [
  fillField(path, {}),
  ...deviceRequest(`${path}.devices.requests[].exactly`),
  ...deviceRequest(`${path}.devices.requests[].firstAvailable[]`)
]

const scalingPeriodSeconds = 15

const scalingPolicy = (type: string, value: number) => ({ type, value, periodSeconds: scalingPeriodSeconds })

/** With `spec.behavior` an autoscaler gets the rules of both directions. */
const scalingRules = (path: string, policies: ReadonlyArray<object>): ReadonlyArray<FieldDefault> => [
  fillField(path, {}),
  fillField(`${path}.selectPolicy`, "Max"),
  fillComputed(`${path}.policies`, (rules) => (Array.isArray(rules["policies"]) ? undefined : policies))
]

export const infrastructureDefaults: Readonly<Record<string, ReadonlyArray<FieldDefault>>> = {
  "rbac.authorization.k8s.io/RoleBinding": roleBinding,
  "rbac.authorization.k8s.io/ClusterRoleBinding": roleBinding,
  "networking.k8s.io/Ingress": [fillField("spec", {})],
  "networking.k8s.io/IngressClass": [fillField("spec", {}), fillField("spec.parameters.scope", "Cluster")],
  "networking.k8s.io/NetworkPolicy": [
    fillField("spec", {}),
    fillField("spec.podSelector", {}),
    fillComputed("spec.policyTypes", policyTypes),
    networkPorts("spec.ingress"),
    networkPorts("spec.egress")
  ],
  "/Endpoints": [fillField("subsets[].ports[].protocol", "TCP")],
  "discovery.k8s.io/EndpointSlice": [
    fillComputed("ports[].name", ({ name }) => (name === undefined || name === null ? "" : undefined)),
    fillPointer("ports[].protocol", "TCP")
  ],
  "node.k8s.io/RuntimeClass": [changeValue("overhead.podFixed", canonicalAmounts)],
  "resource.k8s.io/DeviceClass": [fillField("spec", {})],
  "resource.k8s.io/ResourceClaim": deviceClaim("spec"),
  "resource.k8s.io/ResourceClaimTemplate": [fillField("spec", {}), ...deviceClaim("spec.spec")],
  "autoscaling/HorizontalPodAutoscaler": [
    ...scalingRules("spec.behavior.scaleUp", [scalingPolicy("Pods", 4), scalingPolicy("Percent", 100)]),
    fillField("spec.behavior.scaleUp.stabilizationWindowSeconds", 0),
    ...scalingRules("spec.behavior.scaleDown", [scalingPolicy("Percent", 100)])
  ]
}
