import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../../builders.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const quotas = ({ view }: ClusterService): ReadonlyArray<string> =>
  [...view.all(resources.resourceQuotas)].map(
    ({ metadata, spec }) => `${metadata.namespace}/${metadata.name} ${JSON.stringify(spec.hard)}`
  )

describe("quotaExhausted", () => {
  it("refuses one Pod more than there are, and deletes its quota at its end", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass, ready }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "quotaExhausted", for: "40s" })
        expect(quotas(cluster)).toEqual(['default/charthouse-fault-1 {"pods":"3"}'])
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 5 }))
        yield* pass(30)
        const deployment = cluster.view.get(resources.deployments, "default/web")
        const failure = conditionOf(deployment?.status.conditions, "ReplicaFailure")
        expect(failure?.reason).toBe("FailedCreate")
        expect(failure?.message).toMatch(
          / is forbidden: exceeded quota: charthouse-fault-1, requested: pods=1, used: pods=3, limited: pods=3$/
        )
        expect(ready()).toBe(3)
        yield* pass(1000)
        expect([ready(), quotas(cluster)]).toEqual([5, []])
      })
    ))

  it.each([
    { why: "a Pod counts while its kubelet may still be stopping it", seconds: 30, pods: "3" },
    { why: "afterwards it no longer counts", seconds: 30.001, pods: "2" }
  ])("sets the limit to the Pods that count: $why", ({ seconds, pods }) =>
    inFaultCluster({ behaviour: { terminate: "20m" } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "controllerStopped", controller: "replicaSet" })
        const [first] = podsOf()
        yield* beginFault({ fault: "nodeLost", node: first?.spec.nodeName ?? "" })
        yield* beginFault({
          fault: "kill",
          pods: { name: first?.metadata.name ?? "" },
          gracePeriodSeconds: 15
        })
        yield* pass(seconds)
        yield* beginFault({ fault: "quotaExhausted" })
        yield* pass(0)
        const [quota] = [...cluster.view.all(resources.resourceQuotas)]
        expect([quota?.spec.hard, quota?.status.used]).toEqual([{ pods }, { pods }])
      })
    )
  )

  it("limits the given resources in the given namespace, beside other faults of its kind", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop"))
        const hard = { "requests.cpu": "2", pods: "7" }
        const first = yield* beginFault({ fault: "quotaExhausted", namespace: "shop", hard })
        const second = yield* beginFault({ fault: "quotaExhausted", namespace: "shop" })
        expect(quotas(cluster)).toEqual([
          `shop/charthouse-fault-1 ${JSON.stringify(hard)}`,
          'shop/charthouse-fault-2 {"pods":"0"}'
        ])
        yield* first.end
        yield* pass(5)
        expect(quotas(cluster)).toEqual(['shop/charthouse-fault-2 {"pods":"0"}'])
        yield* second.end
        yield* second.end
        expect(quotas(cluster)).toEqual([])
      })
    ))

  it("leaves existing Pods alone, also a terminating one", () =>
    inFaultCluster({}, ({ beginFault, pods, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "kill", pods: { deployment: "web", count: 1 } })
        yield* beginFault({ fault: "quotaExhausted", for: "1h" })
        yield* pass(60)
        expect(pods()).toEqual(["Running ready", "Running ready", "Running ready"])
      })
    ))

  it.each([
    {
      fault: { fault: "quotaExhausted", namespace: "nowhere" },
      why: 'namespaces "nowhere" not found'
    },
    {
      fault: { fault: "quotaExhausted", hard: { pods: "many" } },
      why: 'ResourceQuota "charthouse-fault-1" is invalid'
    }
  ] as const)("is refused: $why", ({ fault, why }) =>
    inFaultCluster({}, ({ refusal, cluster }) =>
      Effect.gen(function* () {
        const message = yield* refusal(fault)
        expect(message.startsWith(`fault quotaExhausted: `)).toBe(true)
        expect(message).toContain(why)
        expect(quotas(cluster)).toEqual([])
      })
    )
  )
})
