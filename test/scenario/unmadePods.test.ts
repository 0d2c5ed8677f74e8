import { expect, it } from "vitest"
import { readDrafts } from "../../src/manifests/readManifests.ts"
import { unmadePods } from "../../src/scenario/plan/unmadePods.ts"
import { aManifest } from "../cluster/worlds.ts"
import type { Manifest } from "../../src/domain/objects.ts"

const named = (apiVersion: string, kind: string, name: string, namespace?: string): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) }
})
const redis = named("apps/v1", "StatefulSet", "redis")
const migrate = named("batch/v1", "Job", "migrate", "default")
const quota = named("v1", "ResourceQuota", "compute")

it.each<{
  readonly why: string
  readonly manifests: ReadonlyArray<Manifest>
  readonly says: ReadonlyArray<string>
}>([
  {
    why: "those of all that makes Pods in Kubernetes, and here does not",
    manifests: [redis, quota, aManifest({}), migrate],
    says: [
      "ResourceQuota/compute is counted without the Pods of StatefulSet/redis, Job/migrate: nobody makes them here"
    ]
  },
  {
    why: "once, whether they are there before, after or both",
    manifests: [quota, redis, quota, redis],
    says: ["ResourceQuota/compute is counted without the Pods of StatefulSet/redis: nobody makes them here"]
  },
  { why: "of nobody where no quota counts", manifests: [redis, migrate], says: [] },
  { why: "of nobody where all are made", manifests: [quota, aManifest({})], says: [] },
  {
    why: "of nobody where the quota is another namespace's",
    manifests: [redis, named("v1", "ResourceQuota", "compute", "kube-system")],
    says: []
  }
])("a quota is counted without Pods, and plan says so: $why", ({ manifests, says }) => {
  expect(unmadePods(manifests.flatMap((it) => readDrafts([it]).documents))).toEqual(says)
})
