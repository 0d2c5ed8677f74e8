import { describe, expect, it } from "vitest"
import { limitRangeManifest } from "../../builders.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { planOf } from "../planManifests.ts"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"

const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 5, failureThreshold: 3 }
const spec = { progressDeadlineSeconds: 120 }

describe("the reason of a stuck rollout is", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly next: Parameters<typeof planOf>[0]["next"]
    readonly planOptions?: Partial<Parameters<typeof planOf>[0]>
    readonly reason: string
  }> = [
    {
      why: "an invalid image name, with the kubelet's message",
      next: { container: { image: "Bad_IMAGE:::x" } },
      reason:
        'InvalidImageName: Failed to apply default image tag "Bad_IMAGE:::x": couldn\'t parse image reference ' +
        '"Bad_IMAGE:::x": invalid reference format: repository name (library/Bad_IMAGE) must be lowercase'
    },
    {
      why: "an image that is missing with imagePullPolicy: Never",
      next: { version: "v2", container: { imagePullPolicy: "Never" } },
      planOptions: {
        planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, pull: { failures: 1 } }] }
      },
      reason:
        'ErrImageNeverPull: Container image "registry.example/app:v2" is not present with pull policy of Never'
    },
    {
      why: "an init container that fails, and not one that has completed",
      next: {
        podSpec: {
          initContainers: [
            { name: "migrate", image: "registry.example/migrate:v2" },
            { name: "seed", image: "registry.example/seed:v2" }
          ]
        }
      },
      planOptions: {
        planWorld: {
          behaviours: [
            {
              name: "x",
              match: { image: "*" },
              containers: { seed: { exit: { after: "1s", code: 3 } } }
            }
          ]
        }
      },
      reason: 'CrashLoopBackOff: container "seed" ended with exit code 3 (Error)'
    },
    {
      why: "a startup probe that kills a slow container",
      next: { version: "v2", container: { startupProbe: probe } },
      planOptions: { assume: "ready=40s" },
      reason: 'Startup probe failed: container "app" ended with exit code 143 (Error)'
    },
    {
      why: "a liveness probe that kills a slow container without other probes",
      next: { version: "v2", spec: { ...spec, minReadySeconds: 45 }, container: { livenessProbe: probe } },
      planOptions: { planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, ready: "40s" }] } },
      reason: 'Liveness probe failed: container "app" ended with exit code 143 (Error)'
    },
    {
      why: "a liveness probe that equals the readiness probe and kills a slow container",
      next: { version: "v2", container: { livenessProbe: probe, readinessProbe: probe } },
      planOptions: { planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, ready: "40s" }] } },
      reason: 'Liveness probe failed: container "app" ended with exit code 143 (Error)'
    },
    {
      why: "a liveness probe that kills a hanging container",
      next: {
        version: "v2",
        container: { livenessProbe: probe, readinessProbe: probe },
        spec: { ...spec, minReadySeconds: 60 }
      },
      planOptions: {
        planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, hang: "3s", ready: "2s" }] }
      },
      reason: 'Liveness probe failed: container "app" ended with exit code 143 (Error)'
    }
  ]
  it("a refused Pod spec, once for all seeds", async () => {
    const bounds = limitRangeManifest({ default: { cpu: "1500m" } })
    const { rollouts } = await planOf({
      from: { replicas: 1, spec },
      next: { replicas: 1, spec, container: { resources: { requests: { cpu: "2" } } } },
      beside: [bounds],
      seeds: 3
    })
    const reason =
      'Pods are invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu ' +
      "limit of 1500m"
    expect(rollouts[0]?.reasons).toEqual([{ reason, seeds: 3 }])
  })

  it.for(rows)("$why", async ({ next, planOptions, reason }) => {
    const { rollouts } = await planOf({
      from: { replicas: 1, spec },
      next: { replicas: 1, spec, ...next },
      ...planOptions
    })
    expect(rollouts[0]?.reasons).toEqual([{ reason, seeds: 1 }])
  })
})

it("a ReplicaSet without an owner takes room before the rollout", async () => {
  const container = { resources: { requests: { cpu: "3" } } }
  const bare = { ...deploymentManifest({ replicas: 11, name: "bare", container }), kind: "ReplicaSet" }
  const { documents } = readManifestObjects([bare])
  const { rollouts } = await planOf({
    next: { replicas: 2, container },
    planWorld: { from: documents, nodes: 1 }
  })
  expect(rollouts[0]?.reasons.map(({ reason }) => reason)).toEqual([
    "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."
  ])
})
