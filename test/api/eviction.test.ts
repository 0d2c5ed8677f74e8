import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { evictVerb } from "../../src/server/subresources/evictionVerb.ts"
import { isTerminating } from "../../src/kubernetes/meta/ownerReferences.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, inCluster } from "../cluster/worlds.ts"
import { outcomeOf, podCall } from "./calls.ts"
import type { Draft, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "../cluster/worlds.ts"

const aBudget = (spec: object, name = "web") =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec }
  }) as Draft

const podsOf = ({ view }: Living): ReadonlyArray<Pod> => [...view.all(resources.pods)]
const podNamed = ({ view }: Living, name: string): Pod | undefined =>
  view.get(resources.pods, `default/${name}`)

const evictPod = (
  cluster: Living,
  name: string,
  more: { readonly query?: string; readonly deleteOptions?: object } = {}
) => {
  const { query = "", ...rest } = more
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, ...rest }
  return outcomeOf(cluster, evictVerb, podCall(cluster, { name, subresource: "eviction", query, body }))
}

/** Pods of a Deployment under the budgets, a minute after they were created. */
const under = (
  budgets: ReadonlyArray<Draft>,
  story: (cluster: Living, names: ReadonlyArray<string>) => Effect.Effect<void>,
  manifest = aManifest({ replicas: 3 }),
  behaviour = "steady"
): Promise<void> =>
  inCluster({ behaviour }, (cluster) =>
    Effect.gen(function* () {
      yield* begin(cluster, manifest)
      for (const budget of budgets) yield* begin(cluster, budget)
      yield* Effect.orDie(cluster.advance(60_000))
      yield* story(
        cluster,
        podsOf(cluster).map(({ metadata }) => metadata.name)
      )
    })
  )

const created = {
  answer: { type: "status", code: 201, status: expect.objectContaining({ status: "Success" }) }
}
const refusedWith = (message: string) => ({
  status: expect.objectContaining({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: "DisruptionBudget", message }] }
  })
})

describe("an eviction (TestEviction)", () => {
  it("of a Pod under no budget says on the Pod why it goes, and lets it go", () =>
    under([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        expect(yield* evictPod(cluster, name)).toEqual(created)
        const pod = podNamed(cluster, name)
        expect(pod === undefined ? undefined : isTerminating(pod)).toBe(true)
        expect(conditionOf(pod?.status.conditions, "DisruptionTarget")).toMatchObject({
          status: "True",
          reason: "EvictionByEvictionAPI",
          message: "Eviction API: evicting"
        })
      })
    ))

  it("is refused where the budget needs all there are, and leaves no trace", () =>
    under([aBudget({ minAvailable: 3 })], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        const before = podNamed(cluster, name)
        const why = "The disruption budget web needs 3 healthy pods and has 3 currently"
        expect(yield* evictPod(cluster, name)).toEqual(refusedWith(why))
        expect(podNamed(cluster, name)).toBe(before)
      })
    ))

  it("takes what the budget allows, and the next one waits until there is a new Pod", () =>
    under([aBudget({ maxUnavailable: 1 })], (cluster, [first = "", second = ""]) =>
      Effect.gen(function* () {
        expect(yield* evictPod(cluster, first)).toEqual(created)
        const why = "The disruption budget web needs 2 healthy pods and has 2 currently"
        expect(yield* evictPod(cluster, second)).toEqual(refusedWith(why))
        yield* Effect.orDie(cluster.advance(60_000))
        expect(yield* evictPod(cluster, second)).toEqual(created)
      })
    ))

  it("that is asked for before anybody has counted is to be tried again in ten seconds", () =>
    under([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        // Written and asked for in one step: nobody comes between.
        const body = { metadata: { name } }
        const call = podCall(cluster, { name, subresource: "eviction", body })
        const write = Effect.orDie(cluster.store.create(aBudget({ minAvailable: 1 })))
        const outcome = yield* outcomeOf(cluster, () => Effect.andThen(write, evictVerb(call)), call)
        const message = "The disruption budget web is still being processed by the server."
        expect(outcome).toMatchObject({
          status: { code: 429, details: { retryAfterSeconds: 10, causes: [{ message }] } }
        })
      })
    ))

  it("of a Pod under two budgets is an error of the server", () =>
    under([aBudget({}), aBudget({}, "other")], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        expect(yield* evictPod(cluster, name)).toMatchObject({
          status: {
            code: 500,
            message:
              "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
          }
        })
      })
    ))

  it("of a Pod that has not begun asks no budget", () =>
    under(
      [aBudget({ minAvailable: 3 })],
      (cluster, [name = ""]) =>
        Effect.gen(function* () {
          expect(podNamed(cluster, name)?.status.phase).toBe("Pending")
          expect(yield* evictPod(cluster, name)).toEqual(created)
        }),
      aManifest({ replicas: 3 }),
      "manual"
    ))

  it("that is only tried stores nothing and takes nothing", () =>
    under([aBudget({ maxUnavailable: 1 })], (cluster, [first = "", second = ""]) =>
      Effect.gen(function* () {
        const before = cluster.view.version()
        expect(yield* evictPod(cluster, first, { query: "dryRun=All" })).toEqual(created)
        expect(yield* evictPod(cluster, second, { deleteOptions: { dryRun: ["All"] } })).toEqual(created)
        expect(cluster.view.version()).toBe(before)
      })
    ))

  it("gives the grace that its options say", () =>
    under([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        yield* evictPod(cluster, name, { deleteOptions: { gracePeriodSeconds: 7 } })
        expect(podNamed(cluster, name)?.metadata.deletionGracePeriodSeconds).toBe(7)
      })
    ))

  it("of a Pod that is another by now, or has changed, does nothing", () =>
    under([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        const before = podNamed(cluster, name)
        const codes: Array<unknown> = []
        for (const preconditions of [{ uid: "somebody" }, { resourceVersion: "1" }]) {
          const outcome = yield* evictPod(cluster, name, { deleteOptions: { preconditions } })
          codes.push("status" in outcome ? outcome.status.code : 201)
        }
        expect([codes, podNamed(cluster, name)]).toEqual([[409, 409], before])
        const current = { preconditions: { resourceVersion: before?.metadata.resourceVersion } }
        expect(yield* evictPod(cluster, name, { deleteOptions: current })).toEqual(created)
      })
    ))

  it("of a Pod that there is not, or under another name, is told so", () =>
    under([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        expect(yield* evictPod(cluster, "nobody")).toMatchObject({
          status: { code: 404, message: 'pods "nobody" not found' }
        })
        const body = { metadata: { name: "nobody" } }
        const other = podCall(cluster, { name, subresource: "eviction", body })
        expect(yield* outcomeOf(cluster, evictVerb, other)).toMatchObject({
          status: { code: 400, message: "name in URL does not match name in Eviction object" }
        })
      })
    ))

  it.each([
    {
      body: { metadata: { namespace: "other" } },
      message: "the namespace of the provided object does not match the namespace sent on the request",
      why: "one of another namespace"
    },
    {
      body: { apiVersion: "v1" },
      message: "the API version in the data (v1) does not match the expected API version (policy/v1)",
      why: "of no version that has evictions"
    },
    {
      body: { deleteOptions: { preconditions: { uid: 5 } } },
      message:
        'Eviction in version "v1" cannot be handled as a Eviction: json: cannot unmarshal number into Go struct field Preconditions.deleteOptions.preconditions.uid of type types.UID',
      why: "a number is no identity"
    }
  ])("that is not one is refused: $why", ({ body, message }) =>
    under([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        const before = podNamed(cluster, name)
        const { metadata = {}, ...rest } = body
        const eviction = { ...rest, metadata: { name, ...metadata } }
        const call = podCall(cluster, { name, subresource: "eviction", body: eviction })
        expect(yield* outcomeOf(cluster, evictVerb, call)).toMatchObject({ status: { code: 400, message } })
        expect(podNamed(cluster, name)).toBe(before)
      })
    )
  )

  it("may be of the version before, and say nothing in particular", () =>
    under([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        const deleteOptions = { gracePeriodSeconds: null }
        const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name }, deleteOptions }
        // What is asked of a deletion in the query is nothing that an eviction knows.
        const query = "gracePeriodSeconds=7"
        const call = podCall(cluster, { name, subresource: "eviction", body, query })
        expect(yield* outcomeOf(cluster, evictVerb, call)).toEqual(created)
        expect(podNamed(cluster, name)?.metadata.deletionGracePeriodSeconds).toBe(30)
      })
    ))
})
