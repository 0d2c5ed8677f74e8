import { describe, expect, it } from "vitest"
import { limitRangeManifest } from "../../builders.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { planOf } from "../planManifests.ts"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"

const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 5, failureThreshold: 3 }
const spec = { progressDeadlineSeconds: 120 }
const requesting = (cpu: string) => ({ resources: { requests: { cpu, memory: "1Mi" } } })

describe("the reason of a stuck rollout and its field are", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly next: Parameters<typeof planOf>[0]["next"]
    readonly planOptions?: Partial<Parameters<typeof planOf>[0]>
    readonly reason: string
    readonly field: string
  }> = [
    {
      why: "an invalid image name, with the kubelet's message",
      next: { container: { image: "Bad_IMAGE:::x" } },
      reason:
        'InvalidImageName: Failed to apply default image tag "Bad_IMAGE:::x": couldn\'t parse image reference ' +
        '"Bad_IMAGE:::x": invalid reference format: repository name (library/Bad_IMAGE) must be lowercase',
      field: "containers[0].image"
    },
    {
      why: "an image that is missing with imagePullPolicy: Never",
      next: { version: "v2", container: { imagePullPolicy: "Never" } },
      planOptions: {
        planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, pull: { failures: 1 } }] }
      },
      reason:
        'ErrImageNeverPull: Container image "registry.example/app:v2" is not present with pull policy of Never',
      field: "containers[0].image"
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
      reason: 'CrashLoopBackOff: container "seed" ended with exit code 3 (Error)',
      field: "initContainers[1]"
    },
    {
      why: "a node selector that no node meets",
      next: { podSpec: { nodeSelector: { disk: "ssd" } } },
      reason: "Unschedulable: 0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
      field: "nodeSelector"
    },
    {
      why: "too little of a resource, at the container that requests the most of it",
      next: {
        podSpec: {
          initContainers: [{ name: "load", image: "registry.example/load:v2", ...requesting("900") }]
        },
        container: requesting("100m")
      },
      reason: "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.",
      field: "initContainers[0].resources"
    },
    {
      why: "a readiness probe that is never answered",
      next: { version: "v2", container: { readinessProbe: probe } },
      planOptions: { planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, ready: "24h" }] } },
      reason: "Pods run and are not ready",
      field: "containers[0].readinessProbe"
    },
    {
      why: "a second init container that never ends",
      next: {
        podSpec: {
          initContainers: [
            { name: "migrate", image: "registry.example/migrate:v2" },
            { name: "wait", image: "registry.example/wait:v2", command: ["sleep", "infinity"] }
          ]
        }
      },
      reason: 'init container "wait" never ends: it runs "sleep infinity"',
      field: "initContainers[1].command"
    },
    {
      why: "a startup probe that kills a slow container",
      next: { version: "v2", container: { startupProbe: probe } },
      planOptions: { assume: "ready=40s" },
      reason: 'Startup probe failed: container "app" ended with exit code 143 (Error)',
      field: "containers[0].startupProbe"
    },
    {
      why: "a liveness probe that kills a slow container without other probes",
      next: { version: "v2", spec: { ...spec, minReadySeconds: 45 }, container: { livenessProbe: probe } },
      planOptions: { planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, ready: "40s" }] } },
      reason: 'Liveness probe failed: container "app" ended with exit code 143 (Error)',
      field: "containers[0].livenessProbe"
    },
    {
      why: "a liveness probe that equals the readiness probe and kills a slow container",
      next: { version: "v2", container: { livenessProbe: probe, readinessProbe: probe } },
      planOptions: { planWorld: { behaviours: [{ name: "x", match: { image: "*:v2" }, ready: "40s" }] } },
      reason: 'Liveness probe failed: container "app" ended with exit code 143 (Error)',
      field: "containers[0].livenessProbe"
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
      reason: 'Liveness probe failed: container "app" ended with exit code 143 (Error)',
      field: "containers[0].livenessProbe"
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
    expect(rollouts[0]?.reasons).toEqual([{ reason, seeds: 3, field: "spec.template.spec" }])
  })

  it("no field where a Pod of the revision before is not ready", async () => {
    const { rollouts } = await planOf({
      from: { replicas: 1, spec, container: { image: "Bad_IMAGE:::1" } },
      next: { replicas: 1, spec, container: { image: "Bad_IMAGE:::2" } }
    })
    const fields = rollouts[0]?.reasons.map(({ reason, field }) => [
      /Bad_IMAGE:::\d/.exec(reason)?.[0],
      field
    ])
    expect(fields).toEqual([
      ["Bad_IMAGE:::1", undefined],
      ["Bad_IMAGE:::2", "spec.template.spec.containers[0].image"]
    ])
  })

  it.for(rows)("$why", async ({ next, planOptions, reason, field }) => {
    const { rollouts } = await planOf({
      from: { replicas: 1, spec },
      next: { replicas: 1, spec, ...next },
      ...planOptions
    })
    expect(rollouts[0]?.reasons).toEqual([{ reason, seeds: 1, field: `spec.template.spec.${field}` }])
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
