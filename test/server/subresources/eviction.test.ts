import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { budgetManifest } from "../../builders.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { evictVerb } from "../../../src/server/subresources/evictionVerb.ts"
import { isTerminating } from "../../../src/kubernetes/meta/deletion.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, createObject, withCluster } from "../../cluster/testCluster.ts"
import { outcomeOf, podCall } from "./podCall.ts"
import type { Draft, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const podsOf = ({ view }: ClusterService): ReadonlyArray<Pod> => [...view.all(resources.pods)]
const podNamed = ({ view }: ClusterService, name: string): Pod | undefined =>
  view.get(resources.pods, `default/${name}`)

const evictPod = (
  cluster: ClusterService,
  name: string,
  more: { readonly query?: string; readonly deleteOptions?: object } = {}
) => {
  const { query = "", ...rest } = more
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, ...rest }
  return outcomeOf(cluster, evictVerb, podCall(cluster, { name, subresource: "eviction", query, body }))
}

/** Runs a test on the Pods of a Deployment with these budgets, a minute after their creation. */
const withBudgets = (
  budgets: ReadonlyArray<Draft>,
  check: (cluster: ClusterService, names: ReadonlyArray<string>) => Effect.Effect<void>,
  manifest = deploymentManifest({ replicas: 3 }),
  behaviour = "steady"
): Promise<void> =>
  withCluster({ behaviour }, (cluster) =>
    Effect.gen(function* () {
      yield* createObject(cluster, manifest)
      for (const budget of budgets) yield* createObject(cluster, budget)
      yield* Effect.orDie(cluster.advance(60_000))
      yield* check(
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

describe("an Eviction (TestEviction)", () => {
  it("of a Pod without a budget sets DisruptionTarget and deletes the Pod", () =>
    withBudgets([], (cluster, [name = ""]) =>
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

  it("is refused with 429 when minAvailable needs all Pods, and leaves the Pod as it was", () =>
    withBudgets([budgetManifest({ minAvailable: 3 })], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        const before = podNamed(cluster, name)
        const why = "The disruption budget web needs 3 healthy pods and has 3 currently"
        expect(yield* evictPod(cluster, name)).toEqual(refusedWith(why))
        expect(podNamed(cluster, name)).toBe(before)
      })
    ))

  it("is allowed up to maxUnavailable, and again once a new Pod is ready", () =>
    withBudgets([budgetManifest({ maxUnavailable: 1 })], (cluster, [first = "", second = ""]) =>
      Effect.gen(function* () {
        expect(yield* evictPod(cluster, first)).toEqual(created)
        const why = "The disruption budget web needs 2 healthy pods and has 2 currently"
        expect(yield* evictPod(cluster, second)).toEqual(refusedWith(why))
        yield* Effect.orDie(cluster.advance(60_000))
        expect(yield* evictPod(cluster, second)).toEqual(created)
      })
    ))

  it("is refused with retryAfterSeconds 10 until the controller has observed the budget", () =>
    withBudgets([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        // Both in one step, so that the controller does not run in between.
        const body = { metadata: { name } }
        const call = podCall(cluster, { name, subresource: "eviction", body })
        const write = Effect.orDie(cluster.store.create(budgetManifest({ minAvailable: 1 })))
        const outcome = yield* outcomeOf(cluster, () => Effect.andThen(write, evictVerb(call)), call)
        const message = "The disruption budget web is still being processed by the server."
        expect(outcome).toMatchObject({
          status: { code: 429, details: { retryAfterSeconds: 10, causes: [{ message }] } }
        })
      })
    ))

  it("of a Pod with two budgets is refused with 500", () =>
    withBudgets([budgetManifest({}), budgetManifest({}, "other")], (cluster, [name = ""]) =>
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

  it("of a Pending Pod ignores the budget", () =>
    withBudgets(
      [budgetManifest({ minAvailable: 3 })],
      (cluster, [name = ""]) =>
        Effect.gen(function* () {
          expect(podNamed(cluster, name)?.status.phase).toBe("Pending")
          expect(yield* evictPod(cluster, name)).toEqual(created)
        }),
      deploymentManifest({ replicas: 3 }),
      "manual"
    ))

  it("in a dry run deletes no Pod and uses no budget", () =>
    withBudgets([budgetManifest({ maxUnavailable: 1 })], (cluster, [first = "", second = ""]) =>
      Effect.gen(function* () {
        const before = cluster.view.version()
        expect(yield* evictPod(cluster, first, { query: "dryRun=All" })).toEqual(created)
        expect(yield* evictPod(cluster, second, { deleteOptions: { dryRun: ["All"] } })).toEqual(created)
        expect(cluster.view.version()).toBe(before)
      })
    ))

  it("passes gracePeriodSeconds on to the deletion", () =>
    withBudgets([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        yield* evictPod(cluster, name, { deleteOptions: { gracePeriodSeconds: 7 } })
        expect(podNamed(cluster, name)?.metadata.deletionGracePeriodSeconds).toBe(7)
      })
    ))

  it("with outdated preconditions is refused with 409", () =>
    withBudgets([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        const before = podNamed(cluster, name)
        const codes: Array<unknown> = []
        for (const preconditions of [{ uid: "uid-old" }, { resourceVersion: "1" }]) {
          const outcome = yield* evictPod(cluster, name, { deleteOptions: { preconditions } })
          codes.push("status" in outcome ? outcome.status.code : 201)
        }
        expect([codes, podNamed(cluster, name)]).toEqual([[409, 409], before])
        const current = { preconditions: { resourceVersion: before?.metadata.resourceVersion } }
        expect(yield* evictPod(cluster, name, { deleteOptions: current })).toEqual(created)
      })
    ))

  it("of a missing Pod, or with another name than the URL's, is refused", () =>
    withBudgets([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        expect(yield* evictPod(cluster, "missing")).toMatchObject({
          status: { code: 404, message: 'pods "missing" not found' }
        })
        const body = { metadata: { name: "missing" } }
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
      why: "of another namespace"
    },
    {
      body: { apiVersion: "v1" },
      message: "the API version in the data (v1) does not match the expected API version (policy/v1)",
      why: "of a version without evictions"
    },
    {
      body: { deleteOptions: { preconditions: { uid: 5 } } },
      message:
        'Eviction in version "v1" cannot be handled as a Eviction: json: cannot unmarshal number into Go struct field Preconditions.deleteOptions.preconditions.uid of type types.UID',
      why: "with a number as uid"
    }
  ])("is refused when malformed: $why", ({ body, message }) =>
    withBudgets([], (cluster, [name = ""]) =>
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

  it("may be of policy/v1beta1, and null options keep the Pod's grace period", () =>
    withBudgets([], (cluster, [name = ""]) =>
      Effect.gen(function* () {
        const deleteOptions = { gracePeriodSeconds: null }
        const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name }, deleteOptions }
        // An Eviction ignores deletion options in the query.
        const query = "gracePeriodSeconds=7"
        const call = podCall(cluster, { name, subresource: "eviction", body, query })
        expect(yield* outcomeOf(cluster, evictVerb, call)).toEqual(created)
        expect(podNamed(cluster, name)?.metadata.deletionGracePeriodSeconds).toBe(30)
      })
    ))
})
