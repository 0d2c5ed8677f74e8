import type { Kind } from "../meta/kinds.ts"
import type { KubeObject } from "../meta/objects.ts"

/**
 * Unlike Kubernetes, the APIService is computed on read: a stored one would change the resource
 * versions of all objects. `servedSince`: the timestamp from which it is served. Source:
 * pkg/controlplane/apiserver/aggregator.go.
 */
export const localApiService = (
  { group, version, custom }: Pick<Kind, "group" | "version" | "custom">,
  servedSince: string
): KubeObject => {
  const [groupPriorityMinimum, versionPriority] =
    custom === undefined ? builtInPriorities(group, version) : customPriorities
  const service = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: {
      name: `${version}.${group}`,
      creationTimestamp: servedSince,
      labels: {
        "kube-aggregator.kubernetes.io/automanaged": custom === undefined ? "onstart" : "true"
      }
    },
    spec: { ...(group === "" ? {} : { group }), version, groupPriorityMinimum, versionPriority },
    status: localApiServiceStatus(servedSince)
  }
  // The object is not stored, so it has no uid and no resourceVersion.
  return service as unknown as KubeObject
}

export const localApiServiceStatus = (servedSince: string) => ({
  conditions: [
    {
      type: "Available",
      status: "True",
      lastTransitionTime: servedSince,
      reason: "Local",
      message: "Local APIServices are always available"
    }
  ]
})

type Priorities = readonly [group: number, version: number]

const customPriorities: Priorities = [1000, 100]

const builtInPriorities = (group: string, version: string): Priorities => {
  if (group === "") return [18_000, 1]
  const groupPriority = groupPriorities[group] ?? unlistedGroupPriority
  if (group === "flowcontrol.apiserver.k8s.io") return [groupPriority, 21]
  return [groupPriority, version === "v2" ? 30 : 15]
}

const unlistedGroupPriority = 15_700

const groupPriorities: Readonly<Record<string, number>> = {
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "apiextensions.k8s.io": 16_700,
  "admissionregistration.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
  "resource.k8s.io": 15_900,
  "metrics.k8s.io": 100,
  "custom.metrics.k8s.io": 100,
  "external.metrics.k8s.io": 100
}
