import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, replaceSpec as replace } from "../../cluster/testCluster.ts"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../../builders.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { makeLedger } from "../../../src/scenario/ledger/ledger.ts"
import { withLedger } from "./withLedger.ts"
import { objectChange } from "./objectChange.ts"
import type { Deployment, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { Change } from "../../../src/store/objectStore.ts"

/** The violations of one step of a Deployment with an old and a new ReplicaSet. */
const violationsOf = (
  deployment: Deployment,
  sizes: { readonly old: readonly [number, number]; readonly next: readonly [number, number] },
  pods: ReadonlyArray<Parameters<typeof aPod>[0]> = []
): ReadonlyArray<string> => {
  const of = (version: string, replicas: number): ReplicaSet =>
    aReplicaSet({ version, replicas, owner: deployment, annotatedSize: { desired: 4, max: 5 } })
  const old = (replicas: number) => of("v1", replicas)
  const next = (replicas: number) => of("v2", replicas)
  const ledger = makeLedger({ startMillis })
  const view = {
    all: (resource: string) =>
      [deployment, old(sizes.old[0]), next(sizes.next[0])].filter(({ kind }) =>
        kind === "Deployment" ? resource === resources.deployments : resource === resources.replicaSets
      )
  }
  ledger.observeExisting(view as never, startMillis)
  for (const pod of pods) ledger.observe(objectChange("ADDED", aPod({ owner: old(1), ...pod })), startMillis)
  const knownCount = ledger.violations().length
  for (const [of, [from, to]] of [
    [old, sizes.old],
    [next, sizes.next]
  ] as const)
    if (from !== to) ledger.observe(objectChange("MODIFIED", of(to), of(from)), startMillis)
  return ledger
    .violations()
    .slice(knownCount)
    .map(({ rule, what, broken }) => `${rule}: ${what.replace(/ReplicaSet \S*-(v\d)/, "$1")}; ${broken}`)
}

describe("Recreate", () => {
  const deployment = aDeployment({ replicas: 4, version: "v2", strategy: "Recreate" })
  const up = { old: [0, 0], next: [0, 4] } as const
  it("violates the rule when it starts while an old Pod has not ended", () => {
    const blamed = ["recreate: scaled v2 from 0 to 4; old Pods = 0 before a new one is asked for: 1 = 0"]
    expect(violationsOf(deployment, up, [{ name: "a" }])).toEqual(blamed)
    expect(violationsOf(deployment, up, [{ name: "a", terminating: true }])).toEqual(blamed)
  })
  it("may start when all old Pods have ended", () => {
    expect(violationsOf(deployment, up)).toEqual([])
    expect(violationsOf(deployment, up, [{ name: "a", phase: "Failed" }])).toEqual([])
  })
})

describe("a paused rollout", () => {
  const paused = (replicas: number): Deployment => {
    const it = aDeployment({ replicas, version: "v2", surge: 1, unavailable: 0 })
    return { ...it, spec: { ...it.spec, paused: true } }
  }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly replicas?: number
    readonly sizes: Parameters<typeof violationsOf>[1]
    readonly broken: boolean
  }> = [
    { why: "must not scale an old ReplicaSet down", sizes: { old: [3, 2], next: [2, 2] }, broken: true },
    { why: "must not scale the new ReplicaSet up", sizes: { old: [3, 3], next: [2, 3] }, broken: true },
    { why: "must not scale an empty ReplicaSet up", sizes: { old: [4, 4], next: [0, 1] }, broken: true },
    { why: "may grow within the surge", sizes: { old: [3, 3], next: [1, 2] }, broken: false },
    { why: "may scale surplus Pods down", sizes: { old: [4, 3], next: [2, 2] }, broken: false },
    {
      why: "may scale old ReplicaSets down once it is complete",
      sizes: { old: [1, 0], next: [4, 4] },
      broken: false
    },
    {
      why: "may scale its only ReplicaSet to full size",
      sizes: { old: [3, 4], next: [0, 0] },
      broken: false
    },
    {
      why: "may scale proportionally",
      replicas: 8,
      sizes: { old: [3, 5], next: [2, 4] },
      broken: false
    }
  ]
  it.for(rows)("$why", ({ replicas = 4, sizes, broken }) => {
    const rules = violationsOf(paused(replicas), sizes).filter((text) => text.startsWith("paused"))
    expect(rules).toHaveLength(broken ? 1 : 0)
  })
})

describe("an invariant", () => {
  const violationsOfPredicate = (text: string, holds: (available: number, lost: number) => boolean) =>
    withLedger(
      { behaviour: { name: "plain", schedule: "0s", start: "3s", ready: "0s", pull: { delay: "0s" } } },
      (cluster, ledger) =>
        Effect.gen(function* () {
          yield* cluster.create(
            Object.assign(
              { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } },
              { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }
            )
          )
          yield* createObject(cluster, deploymentManifest({ replicas: 2 }))
          yield* cluster.rollout("web")
          yield* cluster.advance(10_000)
          const from = cluster.nowMillis()
          ledger.restart(from)
          ledger.addInvariant({
            text,
            holds: () => {
              const available = ledger.of("default/web")?.now().available ?? 0
              return holds(available, ledger.ofService("default/web")?.now().lost ?? 0)
            }
          })
          const pod = [...cluster.view.all(resources.pods)][0]?.metadata.name ?? ""
          yield* cluster.delete({ resource: resources.pods, name: pod })
          yield* cluster.advance(10_000)
          yield* replace(cluster, deploymentManifest({ replicas: 1 }))
          yield* cluster.advance(10_000)
          ledger.advanceTo(cluster.nowMillis())
          return ledger.violations().map(({ rule, atMillis, who, what, broken, sums }) => {
            const seconds = (atMillis - (from - Date.UTC(2026, 0, 1))) / 1000
            return { line: `${seconds} ${rule} ${who} ${what.replace(/web-\S+/, "X")}: ${broken}`, sums }
          })
        })
    )

  it("is reported each time it begins to fail, with actor, action and sums", async () => {
    const reported = await violationsOfPredicate("available >= 2", (available) => available >= 2)
    expect(reported).toEqual([
      {
        line: "0 invariant a client told Pod X to stop: available >= 2",
        sums: "default/web: desired 2, Pods 1, ready 1, available 1, updated 1, terminating 1"
      },
      {
        line: "10 invariant ReplicaSet controller told Pod X to stop: available >= 2",
        sums: "default/web: desired 1, Pods 1, ready 1, available 1, updated 1, terminating 1"
      }
    ])
  })

  it("is reported when only time has passed", async () => {
    const [first] = await violationsOfPredicate("lost <= 40", (_available, lost) => lost <= 40)
    expect(first?.line).toBe("1 invariant time has passed: lost <= 40")
  })

  it("is reported at once when it never held, and not while it holds", async () => {
    const [first, ...others] = await violationsOfPredicate("available > 7", (available) => available > 7)
    expect(first?.line).toBe("0 invariant time had only begun: available > 7")
    expect(others).toEqual([])
    expect(await violationsOfPredicate("available >= 0", (available) => available >= 0)).toEqual([])
  })
})

it("a ledger that starts later agrees with one from the beginning", async () => {
  const [early, later] = await withLedger({ seed: 5 }, (cluster, ledger) =>
    Effect.gen(function* () {
      yield* createObject(cluster, deploymentManifest({ replicas: 5, spec: { minReadySeconds: 4 } }))
      yield* cluster.advance(3_000)
      yield* replace(
        cluster,
        deploymentManifest({ replicas: 5, version: "v2", spec: { minReadySeconds: 4 } })
      )
      yield* cluster.advance(6_000)
      const late = makeLedger({ startMillis: cluster.nowMillis() })
      late.observeExisting(cluster.view, cluster.nowMillis())
      ledger.restart(cluster.nowMillis())
      late.restart(cluster.nowMillis())
      cluster.onChange((it) => late.observe(it, cluster.nowMillis()))
      yield* cluster.advance(120_000)
      return [ledger, late].map((it) => ({ rows: it.of("default/web")?.rows(), violations: it.violations() }))
    })
  )
  expect(early?.rows?.length).toBeGreaterThan(5)
  expect(later).toEqual(early)
})

it("two ReplicaSets with one revision are reported only after the instant is over", () => {
  const web = aDeployment({ replicas: 0, version: "v2" })
  const old = aReplicaSet({ version: "v1", replicas: 0, owner: web, revision: "1" })
  const next = (revision: string) => aReplicaSet({ version: "v2", replicas: 0, owner: web, revision })
  const reported = (...steps: ReadonlyArray<readonly [seconds: number, it: Change]>) => {
    const ledger = makeLedger({ startMillis })
    for (const it of [web, old]) ledger.observe(objectChange("ADDED", it), startMillis)
    for (const [seconds, it] of steps) ledger.observe(it, startMillis + seconds * 1000)
    ledger.advanceTo(startMillis + 60_000)
    return ledger.violations().map(({ atMillis, rule, sums }) => `${atMillis} ${rule} ${sums}`)
  }
  expect(reported([5, objectChange("ADDED", next("1"))])).toEqual([
    "5000 revisionsGrow web-v1 revision 1, web-v2 revision 1"
  ])
  expect(
    reported([5, objectChange("ADDED", next("1"))], [5, objectChange("MODIFIED", next("2"), next("1"))])
  ).toEqual([])
})
