import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, logOf } from "../cluster/worlds.ts"
import {
  activePods,
  asked,
  broken,
  countMade,
  deploymentOf,
  isComplete,
  roll,
  running,
  watchBounds
} from "./rollouts.ts"
import { tell } from "./world.ts"
import type { ControllerName, Fault, WriteVerb } from "../../src/faults/fault.ts"

const hourMillis = 3_600_000
const codes = [409, 429, 500, 504] as const

const conditionsOf = (name: string, cluster: Parameters<typeof asked>[0]): ReadonlyArray<string> =>
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
      it.each(codes)(`is made up for, and nothing is done twice: ${of} ${verb} ${resource}, %i`, (code) =>
        tell({ manifest: { replicas: 4 } }, ({ cluster, strike }) =>
          Effect.gen(function* () {
            const bounds = watchBounds(cluster)
            const made = countMade(cluster)
            const fault = { fault: "writesRefused", of, code, resource, verb, times: 1 } as const
            const handle = yield* strike(fault)
            yield* roll(cluster, 4)
            yield* cluster.until(isComplete(cluster), hourMillis)
            yield* cluster.settle()
            const isMet = handle.endedMillis() !== undefined
            const found = [isMet, broken(cluster, bounds), running(cluster), made()]
            expect(found).toEqual([true, [], "v2: 4", 4])
          })
        )
      )
    }
  }
})

describe("writes of all controllers that are refused for a while", () => {
  it("are those of each of them", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const log = logOf(cluster)
        yield* roll(cluster)
        const known = log.length
        const { end } = yield* strike({ fault: "writesRefused", of: "controllers", code: 500, for: "40s" })
        yield* pass(30)
        expect(log.slice(known).filter((line) => !line.includes(" events "))).toEqual([])
        yield* end
        yield* pass(60)
        expect(running(cluster)).toBe("v2: 3")
      })
    ))

  it.each(codes)("are made up for when they are not refused any more: %i", (code) =>
    tell({ manifest: { replicas: 5 } }, ({ cluster, strike }) =>
      Effect.gen(function* () {
        const bounds = watchBounds(cluster)
        yield* roll(cluster, 5)
        yield* strike({ fault: "writesRefused", of: "controllers", code, for: "40s" })
        yield* cluster.settle()
        yield* cluster.until(isComplete(cluster), hourMillis)
        yield* cluster.settle()
        expect([broken(cluster, bounds), running(cluster)]).toEqual([[], "v2: 5"])
      })
    )
  )
})

describe("a refusal", () => {
  it.each(["rs", "replicasets", "ReplicaSet", "replicasets.apps"])(
    "of a new ReplicaSet, by its name %s, is told in the words of Kubernetes, and taken back when it is over",
    (resource) =>
      tell({}, ({ cluster, strike, pass }) =>
        Effect.gen(function* () {
          yield* strike({
            fault: "writesRefused",
            of: "deployment",
            code: 500,
            resource,
            verb: "create",
            for: "30s"
          })
          yield* roll(cluster)
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

  it("of Pods shows as ReplicaFailure, and slow start asks for one at a time", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const fault: Fault = { fault: "writesRefused", of: "replicaSet", code: 409, resource: "pods" }
        const { end } = yield* strike(fault)
        yield* begin(cluster, aManifest({ name: "other", replicas: 8 }))
        yield* pass(0.001)
        const told = (yield* cluster.events()).filter(({ reason }) => reason === "FailedCreate")
        expect(told.map(({ message, count }) => [message, count])).toEqual([
          [
            expect.stringMatching(
              /^Error creating: Operation cannot be fulfilled on pods "other-\w+-": the object has been modified; please apply/
            ),
            // One for the ReplicaSet, and one for the report that it could not: both call for a look.
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

  it("with 429 is asked again after a second, ten times, before anybody hears of it", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({
          fault: "writesRefused",
          of: "deployment",
          code: 429,
          resource: "replicasets",
          verb: "create",
          times: 9
        })
        yield* roll(cluster)
        yield* pass(8)
        expect(asked(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(asked(cluster)).toBe("v1: 3, v2: 1")
        expect(yield* cluster.events(deploymentOf(cluster).metadata)).not.toContainEqual(
          expect.objectContaining({ reason: "ReplicaSetCreateError" })
        )
      })
    ))

  it("meets only what it names", () =>
    tell({}, ({ cluster, strike }) =>
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
        for (const fault of others) yield* strike(fault)
        const beganMillis = cluster.nowMillis()
        yield* roll(cluster)
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(cluster.nowMillis() - beganMillis).toBe(12_000)
      })
    ))

  it.each([
    [{ code: 418 }, "code must be one of 409, 429, 500, 504"],
    [{ resource: "unicorns" }, `the server doesn't have a resource type "unicorns"`],
    [{ verb: "sing" }, "verb must be one of create, update, patch, delete, status"],
    [{ times: 0 }, "times must be a whole number from 1 on"],
    [{ of: "everybody" }, "of must be one of deployment, replicaSet"]
  ])("that cannot be is refused in a sentence: %j", (odd, why) =>
    tell({}, ({ refusal }) =>
      Effect.gen(function* () {
        const fault = { fault: "writesRefused", of: "deployment", code: 409, ...odd }
        expect(yield* refusal(fault as Fault)).toContain(`fault writesRefused: ${why}`)
      })
    )
  )
})

describe("writes that are slow", () => {
  it("are carried out so much later, one after the other", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "writesSlow", of: "deployment", by: "4s" })
        yield* roll(cluster)
        yield* pass(3)
        expect(asked(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(asked(cluster)).toBe("v1: 3, v2: 1")
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(running(cluster)).toBe("v2: 3")
      })
    ))

  for (const of of ["deployment", "replicaSet", "pod", "controllers"] as const) {
    it(`lead to the same end, within the same bounds: ${of}`, () =>
      tell({ manifest: { replicas: 6 } }, ({ cluster, strike }) =>
        Effect.gen(function* () {
          const bounds = watchBounds(cluster)
          yield* strike({ fault: "writesSlow", of, by: "700ms", for: "20m" })
          yield* roll(cluster, 6)
          yield* cluster.until(isComplete(cluster), hourMillis)
          yield* cluster.settle()
          expect([broken(cluster, bounds), running(cluster)]).toEqual([[], "v2: 6"])
        })
      ))
  }
})
