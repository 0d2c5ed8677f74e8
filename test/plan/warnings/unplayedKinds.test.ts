import { expect, it } from "vitest"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { unplayedKindWarnings } from "../../../src/plan/warnings/unplayedKinds.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

const named = (apiVersion: string, kind: string, name: string, namespace?: string): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) }
})
const redis = named("v1", "ReplicationController", "redis")
const migrate = named("v1", "ReplicationController", "migrate", "default")
const quota = named("v1", "ResourceQuota", "compute")

const alone = "is not played: none of its Pods are made"
const together = "are not played: none of their Pods are made"

it.each<{
  readonly why: string
  readonly manifests: ReadonlyArray<Manifest>
  readonly warnings: ReadonlyArray<string>
}>([
  {
    why: "every kind whose controller is not played",
    manifests: [redis, deploymentManifest({}), migrate],
    warnings: [
      `ReplicationController/redis, ReplicationController/migrate ${together}, and the room that they take is not counted`
    ]
  },
  {
    why: "with the quota of the namespace",
    manifests: [redis, quota, deploymentManifest({})],
    warnings: [
      `ReplicationController/redis ${alone}, and the room that they take is counted neither on nodes nor in ResourceQuota/compute`
    ]
  },
  {
    why: "once for objects before and after",
    manifests: [quota, redis, quota, redis],
    warnings: [
      `ReplicationController/redis ${alone}, and the room that they take is counted neither on nodes nor in ResourceQuota/compute`
    ]
  },
  {
    why: "not of those that are played",
    manifests: [
      quota,
      deploymentManifest({}),
      named("apps/v1", "StatefulSet", "db"),
      named("batch/v1", "Job", "once")
    ],
    warnings: []
  },
  {
    why: "for each namespace by itself",
    manifests: [
      redis,
      named("v1", "ResourceQuota", "compute", "kube-system"),
      named("v1", "ReplicationController", "proxy", "kube-system")
    ],
    warnings: [
      `ReplicationController/redis ${alone}, and the room that they take is not counted`,
      `ReplicationController/kube-system/proxy ${alone}, and the room that they take is counted neither on nodes nor in ` +
        "ResourceQuota/kube-system/compute"
    ]
  }
])("plan warns of workloads that are not played: $why", ({ manifests, warnings }) => {
  expect(unplayedKindWarnings(manifests.flatMap((it) => readManifestObjects([it]).documents))).toEqual(
    warnings
  )
})
