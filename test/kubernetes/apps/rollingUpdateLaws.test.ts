import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newReplicaSetSize, planNewSize, planOldSizes } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

/**
 * A simple model of a cluster: a list of Pods for each ReplicaSet, whose controller adds unavailable Pods and
 * removes unavailable ones first. Which controller acts next is drawn.
 */
interface ModelReplicaSet {
  readonly version: string
  wanted: number
  /** For each Pod: whether it is available. */
  pods: Array<boolean>
  /** The status, which may be out of date. */
  reported: { readonly pods: number; readonly available: number }
}

interface ModelCluster {
  readonly replicas: number
  readonly surge: number | string
  readonly unavailable: number | string
  readonly sets: Array<ModelReplicaSet>
}

const count = (pods: ReadonlyArray<boolean>): number => pods.filter((it) => it).length
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, it) => total + it, 0)
const availableIn = (cluster: ModelCluster): number => sum(cluster.sets.map((it) => count(it.pods)))
const wantedIn = (cluster: ModelCluster): number => sum(cluster.sets.map((it) => it.wanted))

const newest = "v9"

const setOf = (version: string, wanted: number, available: number): ModelReplicaSet => ({
  version,
  wanted,
  pods: Array.from({ length: wanted }, (_, index) => index < available),
  reported: { pods: wanted, available: Math.min(wanted, available) }
})

const look = ({ replicas, surge, unavailable, sets }: ModelCluster): DeploymentObservation =>
  anObservation({
    deployment: aDeployment({ version: newest, replicas, surge, unavailable }),
    replicaSets: sets.map(({ version, wanted, reported }, created) =>
      aReplicaSet({ version, created, replicas: wanted, pods: reported.pods, available: reported.available })
    )
  })

/** One look of the Deployment, up or down as in its chart. Returns whether it changed anything. */
const roll = (cluster: ModelCluster): boolean => {
  const observation = look(cluster)
  if (observation.newReplicaSet === undefined) {
    const wanted = newReplicaSetSize(observation)
    cluster.sets.push({ ...setOf(newest, wanted, 0), pods: [], reported: { pods: 0, available: 0 } })
    return true
  }
  const grown = planNewSize(observation)
  const plan = grown.length > 0 ? grown : planOldSizes(observation)
  for (const { replicaSet, replicasTo } of plan) setFor(cluster, replicaSet).wanted = replicasTo
  return plan.length > 0
}

const setFor = ({ sets }: ModelCluster, replicaSet: ReplicaSet): ModelReplicaSet => {
  const set = sets.find((it) => `web-${it.version}` === replicaSet.metadata.name)
  if (set === undefined) throw new Error(`no ${replicaSet.metadata.name}`)
  return set
}

const manage = (set: ModelReplicaSet): void => {
  const serving = count(set.pods)
  const remaining = Math.min(serving, set.wanted)
  set.pods = Array.from({ length: set.wanted }, (_, index) => index < remaining)
}

const report = (set: ModelReplicaSet): void => {
  set.reported = { pods: set.pods.length, available: count(set.pods) }
}

const changeOnePod = (set: ModelReplicaSet, to: boolean): void => {
  const place = set.pods.indexOf(!to)
  if (place >= 0) set.pods[place] = to
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 7 }),
  fc.integer({ min: 0, max: 110 }).map((percent) => `${percent}%`)
)

const clusters = fc
  .record({
    replicas: fc.integer({ min: 0, max: 23 }),
    surge: amount,
    unavailable: amount,
    sets: fc.array(fc.record({ wanted: fc.nat(9), broken: fc.nat(9) }), { minLength: 0, maxLength: 4 })
  })
  .map(({ sets, ...cluster }): ModelCluster => ({
    ...cluster,
    sets: sets.map(({ wanted, broken }, index) =>
      setOf(`v${index + 1}`, wanted, Math.max(0, wanted - broken))
    )
  }))

const actions = fc.array(fc.tuple(fc.nat(11), fc.nat(4)), { minLength: 20, maxLength: 100 })

const seed = 20_260_502
const settings = { seed, numRuns: 1_000 }

describe(`laws of a rolling update (seed ${seed})`, () => {
  it("never exceeds the ceiling nor goes below the floor, however late statuses are", () => {
    fc.assert(
      fc.property(clusters, actions, (start, drawn) => {
        const cluster = structuredClone(start)
        const { surgeMax, unavailableMax } = look(cluster)
        const ceiling = Math.max(cluster.replicas + surgeMax, wantedIn(cluster))
        const floor = Math.min(cluster.replicas - unavailableMax, availableIn(cluster))
        for (const [action, index] of drawn) {
          const set = cluster.sets[index % Math.max(1, cluster.sets.length)]
          if (action < 4 || set === undefined) roll(cluster)
          else if (action < 7) manage(set)
          else if (action < 10) changeOnePod(set, true)
          else report(set)
          expect(wantedIn(cluster)).toBeLessThanOrEqual(ceiling)
          expect(availableIn(cluster)).toBeGreaterThanOrEqual(floor)
        }
      }),
      settings
    )
  })

  it("never plans below the floor by reported Pods, however many become unavailable meanwhile", () => {
    fc.assert(
      fc.property(clusters, actions, (start, drawn) => {
        const cluster = structuredClone(start)
        const { surgeMax, unavailableMax } = look(cluster)
        const ceiling = Math.max(cluster.replicas + surgeMax, wantedIn(cluster))
        for (const [action, index] of drawn) {
          const set = cluster.sets[index % Math.max(1, cluster.sets.length)]
          if (action >= 4 && set !== undefined) {
            changeOnePod(set, action < 9)
            continue
          }
          for (const it of cluster.sets) report(it)
          const floor = Math.min(cluster.replicas - unavailableMax, availableIn(cluster))
          roll(cluster)
          for (const it of cluster.sets) manage(it)
          expect(availableIn(cluster)).toBeGreaterThanOrEqual(floor)
          expect(wantedIn(cluster)).toBeLessThanOrEqual(ceiling)
        }
      }),
      settings
    )
  })

  it("ends with new Pods only, once they become available", () => {
    fc.assert(
      fc.property(clusters, (start) => {
        const cluster = structuredClone(start)
        let rounds = 0
        let quietRounds = 0
        while (quietRounds < 2) {
          rounds += 1
          expect(rounds).toBeLessThan(500)
          const moved = roll(cluster)
          for (const set of cluster.sets) manage(set)
          const next = cluster.sets.find(({ version }) => version === newest)
          const waiting = next === undefined ? 0 : next.pods.length - count(next.pods)
          if (next !== undefined) changeOnePod(next, true)
          for (const set of cluster.sets) report(set)
          quietRounds = moved || waiting > 0 ? 0 : quietRounds + 1
        }
        expect(cluster.sets.map(({ version, wanted }) => (version === newest ? wanted : -wanted))).toEqual(
          cluster.sets.map(({ version }) => (version === newest ? cluster.replicas : -0))
        )
      }),
      settings
    )
  })

  it("stops while new Pods never become available", () => {
    fc.assert(
      fc.property(clusters, (start) => {
        const cluster = structuredClone(start)
        const { unavailableMax } = look(cluster)
        const floor = Math.min(cluster.replicas - unavailableMax, availableIn(cluster))
        for (let round = 0; round < 60; round += 1) {
          roll(cluster)
          for (const set of cluster.sets) {
            manage(set)
            report(set)
          }
          expect(availableIn(cluster)).toBeGreaterThanOrEqual(floor)
        }
        expect(roll(cluster)).toBe(false)
      }),
      settings
    )
  })
})
