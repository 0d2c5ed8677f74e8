import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, change } from "../cluster/worlds.ts"
import { tell } from "./world.ts"
import type { Living } from "../cluster/worlds.ts"

const quotas = ({ view }: Living): ReadonlyArray<string> =>
  [...view.all(resources.resourceQuotas)].map(
    ({ metadata, spec }) => `${metadata.namespace}/${metadata.name} ${JSON.stringify(spec.hard)}`
  )

describe("a quota that is used up", () => {
  it("refuses one Pod more than there are, and is gone when it is over", () =>
    tell({}, ({ cluster, strike, pass, ready }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "quotaExhausted", for: "40s" })
        expect(quotas(cluster)).toEqual(['default/charthouse-fault-1 {"pods":"3"}'])
        yield* change(cluster, aManifest({ replicas: 5 }))
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
    { why: "a Pod counts as long as its kubelet may still be stopping it", seconds: 30, pods: "3" },
    { why: "then it is held against nobody any more", seconds: 30.001, pods: "2" }
  ])("is of those that count: $why", ({ seconds, pods }) =>
    tell({ behaviour: { terminate: "20m" } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "controllerStopped", controller: "replicaSet" })
        const [first] = podsOf()
        yield* strike({ fault: "nodeLost", node: first?.spec.nodeName ?? "" })
        yield* strike({ fault: "kill", pods: { name: first?.metadata.name ?? "" }, gracePeriodSeconds: 15 })
        yield* pass(seconds)
        yield* strike({ fault: "quotaExhausted" })
        yield* pass(0)
        const [quota] = [...cluster.view.all(resources.resourceQuotas)]
        expect([quota?.spec.hard, quota?.status.used]).toEqual([{ pods }, { pods }])
      })
    )
  )

  it("limits what is said, where it is said, beside others of its kind", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* begin(cluster, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
        const hard = { "requests.cpu": "2", pods: "7" }
        const first = yield* strike({ fault: "quotaExhausted", namespace: "shop", hard })
        const second = yield* strike({ fault: "quotaExhausted", namespace: "shop" })
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

  it("leaves Pods that are there alone, also one on its way out", () =>
    tell({}, ({ strike, pods, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "kill", pods: { deployment: "web", count: 1 } })
        yield* strike({ fault: "quotaExhausted", for: "1h" })
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
  ] as const)("cannot be: $why", ({ fault, why }) =>
    tell({}, ({ refusal, cluster }) =>
      Effect.gen(function* () {
        const message = yield* refusal(fault)
        expect(message.startsWith(`fault quotaExhausted: `)).toBe(true)
        expect(message).toContain(why)
        expect(quotas(cluster)).toEqual([])
      })
    )
  )
})
