import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, createObject, recordChanges } from "../../cluster/testCluster.ts"
import {
  activePods,
  specReplicasByVersion,
  violationsAndUnfinished,
  countCreatedPods,
  deploymentOf,
  isComplete,
  setVersion,
  activePodsByVersion,
  watchBounds
} from "../rollouts.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { ControllerName } from "../../../src/runtime/reconciler/controllerTurnOrder.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { WriteVerb } from "../../../src/faults/schemas/faultFields.ts"

const hourMillis = 3_600_000
const codes = [409, 429, 500, 504] as const

const conditionsOf = (
  name: string,
  cluster: Parameters<typeof specReplicasByVersion>[0]
): ReadonlyArray<string> =>
  (cluster.view.get(resources.deployments, `default/${name}`)?.status.conditions ?? []).map(
    ({ type, reason, message }) => `${type} ${reason}: ${message}`
  )

describe("a write that is refused once", () => {
  const rows: ReadonlyArray<{
    readonly of: ControllerName
    readonly resource: string
    readonly verbs: ReadonlyArray<WriteVerb>
  }> = [
    { of: "deployment", resource: "replicasets", verbs: ["create", "update"] },
    { of: "deployment", resource: "deployments", verbs: ["status"] },
    { of: "replicaSet", resource: "pods", verbs: ["create", "delete"] },
    { of: "replicaSet", resource: "replicasets", verbs: ["status"] },
    { of: "pod", resource: "pods", verbs: ["status", "delete"] },
    { of: "scheduler", resource: "pods", verbs: ["create"] }
  ]
  for (const { of, resource, verbs } of rows) {
    for (const verb of verbs) {
      it.each(codes)(`is retried without doing anything twice: ${of} ${verb} ${resource}, %i`, (code) =>
        inFaultCluster({ manifest: { replicas: 4 } }, ({ cluster, beginFault }) =>
          Effect.gen(function* () {
            const bounds = watchBounds(cluster)
            const created = countCreatedPods(cluster)
            const fault = { fault: "writesRefused", of, code, resource, verb, times: 1 } as const
            const handle = yield* beginFault(fault)
            yield* setVersion(cluster, 4)
            yield* cluster.until(isComplete(cluster), hourMillis)
            yield* cluster.settle()
            const isHit = handle.endedMillis() !== undefined
            const result = [
              isHit,
              violationsAndUnfinished(cluster, bounds),
              activePodsByVersion(cluster),
              created()
            ]
            expect(result).toEqual([true, [], "v2: 4", 4])
          })
        )
      )
    }
  }
})

describe("refused writes of all controllers", () => {
  it("are refused for every controller", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const log = recordChanges(cluster)
        yield* setVersion(cluster)
        const known = log.length
        const { end } = yield* beginFault({
          fault: "writesRefused",
          of: "controllers",
          code: 500,
          for: "40s"
        })
        yield* pass(30)
        expect(log.slice(known).filter((line) => !line.includes(" events "))).toEqual([])
        yield* end
        yield* pass(60)
        expect(activePodsByVersion(cluster)).toBe("v2: 3")
      })
    ))

  it.each(codes)("are retried until the fault is over: %i", (code) =>
    inFaultCluster({ manifest: { replicas: 5 } }, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        const bounds = watchBounds(cluster)
        yield* setVersion(cluster, 5)
        yield* beginFault({ fault: "writesRefused", of: "controllers", code, for: "40s" })
        yield* cluster.settle()
        yield* cluster.until(isComplete(cluster), hourMillis)
        yield* cluster.settle()
        expect([violationsAndUnfinished(cluster, bounds), activePodsByVersion(cluster)]).toEqual([
          [],
          "v2: 5"
        ])
      })
    )
  )
})

describe("a refused write", () => {
  it.each(["rs", "replicasets", "ReplicaSet", "replicasets.apps"])(
    "of a new ReplicaSet, with resource %s, sets ReplicaSetCreateError until the fault is over",
    (resource) =>
      inFaultCluster({}, ({ cluster, beginFault, pass }) =>
        Effect.gen(function* () {
          yield* beginFault({
            fault: "writesRefused",
            of: "deployment",
            code: 500,
            resource,
            verb: "create",
            for: "30s"
          })
          yield* setVersion(cluster)
          yield* pass(5)
          expect(conditionsOf("web", cluster).join("\n")).toContain(
            "Progressing ReplicaSetCreateError: Failed to create new replica set"
          )
          expect(conditionsOf("web", cluster).join("\n")).toContain(
            "Internal error occurred: etcdserver: leader changed"
          )
          yield* cluster.until(isComplete(cluster), hourMillis)
          expect(conditionsOf("web", cluster).join("\n")).not.toContain("ReplicaSetCreateError")
        })
      )
  )

  it("of Pods sets ReplicaFailure, and slow start creates one Pod at a time", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const fault: Fault = { fault: "writesRefused", of: "replicaSet", code: 409, resource: "pods" }
        const { end } = yield* beginFault(fault)
        yield* createObject(cluster, deploymentManifest({ name: "other", replicas: 8 }))
        yield* pass(0.001)
        const events = (yield* cluster.events()).filter(({ reason }) => reason === "FailedCreate")
        expect(events.map(({ message, count }) => [message, count])).toEqual([
          [
            expect.stringMatching(
              /^Error creating: Operation cannot be fulfilled on pods "other-\w+-": the object has been modified; please apply/
            ),
            // One look for the ReplicaSet and one for its own status write.
            2
          ]
        ])
        expect(conditionsOf("other", cluster).join("\n")).toContain("ReplicaFailure FailedCreate")
        yield* end
        yield* pass(60)
        expect(activePods(cluster)).toBe(11)
        expect(conditionsOf("other", cluster).join("\n")).not.toContain("ReplicaFailure")
      })
    ))

  it("with 429 is retried after a second, ten times, before it is reported", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({
          fault: "writesRefused",
          of: "deployment",
          code: 429,
          resource: "replicasets",
          verb: "create",
          times: 9
        })
        yield* setVersion(cluster)
        yield* pass(8)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3, v2: 1")
        expect(yield* cluster.events(deploymentOf(cluster).metadata)).not.toContainEqual(
          expect.objectContaining({ reason: "ReplicaSetCreateError" })
        )
      })
    ))

  it("is refused only if it matches the fault's fields", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        const others: ReadonlyArray<Fault> = [
          { fault: "writesRefused", of: "deployment", code: 500, resource: "pods" },
          {
            fault: "writesRefused",
            of: "deployment",
            code: 500,
            resource: "deployments.apps",
            verb: "update"
          },
          { fault: "writesRefused", of: "deployment", code: 500, verb: "patch" },
          { fault: "writesRefused", of: "clients", code: 500 }
        ]
        for (const fault of others) yield* beginFault(fault)
        const beganMillis = cluster.nowMillis()
        yield* setVersion(cluster)
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(cluster.nowMillis() - beganMillis).toBe(12_000)
      })
    ))

  it.each([
    [{ code: 418 }, "code must be one of 409, 429, 500, 504"],
    [{ resource: "unicorns" }, `the server doesn't have a resource type "unicorns"`],
    [{ verb: "sing" }, "verb must be one of create, update, patch, delete, status"],
    [{ times: 0 }, "times must be a whole number from 1 on"],
    [{ of: "everything" }, "of must be one of deployment, replicaSet"]
  ])("needs a valid fault: %j", (odd, why) =>
    inFaultCluster({}, ({ refusal }) =>
      Effect.gen(function* () {
        const fault = { fault: "writesRefused", of: "deployment", code: 409, ...odd }
        expect(yield* refusal(fault as Fault)).toContain(`fault writesRefused: ${why}`)
      })
    )
  )
})

describe("slow writes", () => {
  it("are carried out later by the delay, one after the other", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "writesSlow", of: "deployment", by: "4s" })
        yield* setVersion(cluster)
        yield* pass(3)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3, v2: 1")
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(activePodsByVersion(cluster)).toBe("v2: 3")
      })
    ))

  for (const of of ["deployment", "replicaSet", "pod", "controllers"] as const) {
    it(`complete the rollout within its bounds: ${of}`, () =>
      inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault }) =>
        Effect.gen(function* () {
          const bounds = watchBounds(cluster)
          yield* beginFault({ fault: "writesSlow", of, by: "700ms", for: "20m" })
          yield* setVersion(cluster, 6)
          yield* cluster.until(isComplete(cluster), hourMillis)
          yield* cluster.settle()
          expect([violationsAndUnfinished(cluster, bounds), activePodsByVersion(cluster)]).toEqual([
            [],
            "v2: 6"
          ])
        })
      ))
  }
})
