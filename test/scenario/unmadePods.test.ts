import { expect, it } from "vitest"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { unplayedKindWarnings } from "../../src/plan/warnings/unplayedKinds.ts"
import { aManifest } from "../cluster/worlds.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

const named = (apiVersion: string, kind: string, name: string, namespace?: string): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) }
})
const redis = named("apps/v1", "StatefulSet", "redis")
const migrate = named("batch/v1", "Job", "migrate", "default")
const quota = named("v1", "ResourceQuota", "compute")

const alone = "is not played: none of its Pods are made"
const together = "are not played: none of their Pods are made"

it.each<{
  readonly why: string
  readonly manifests: ReadonlyArray<Manifest>
  readonly says: ReadonlyArray<string>
}>([
  {
    why: "all that makes Pods in Kubernetes, and here does not",
    manifests: [redis, aManifest({}), migrate],
    says: [`StatefulSet/redis, Job/migrate ${together}, and the room that they take is not counted`]
  },
  {
    why: "in its quota neither",
    manifests: [redis, quota, aManifest({})],
    says: [
      `StatefulSet/redis ${alone}, and the room that they take is counted neither on nodes nor in ResourceQuota/compute`
    ]
  },
  {
    why: "once, whether they are there before, after or both",
    manifests: [quota, redis, quota, redis],
    says: [
      `StatefulSet/redis ${alone}, and the room that they take is counted neither on nodes nor in ResourceQuota/compute`
    ]
  },
  { why: "not what is played", manifests: [quota, aManifest({})], says: [] },
  {
    why: "each namespace by itself, where a quota may be another's",
    manifests: [
      redis,
      named("v1", "ResourceQuota", "compute", "kube-system"),
      named("apps/v1", "DaemonSet", "proxy", "kube-system")
    ],
    says: [
      `StatefulSet/redis ${alone}, and the room that they take is not counted`,
      `DaemonSet/kube-system/proxy ${alone}, and the room that they take is counted neither on nodes nor in ` +
        "ResourceQuota/kube-system/compute"
    ]
  }
])("plan says whose Pods nobody makes: $why", ({ manifests, says }) => {
  expect(unplayedKindWarnings(manifests.flatMap((it) => readManifestObjects([it]).documents))).toEqual(says)
})
