import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nextReplicaSetSize, planNext, planPrevious } from "../../src/kubernetes/apps/rollingUpdate.ts"
import { aDeployment, anObservation, aReplicaSet } from "../builders.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { ReplicaSet } from "../../src/kubernetes/meta/objects.ts"

/**
 * The slow and obvious cluster: a list of Pods for each ReplicaSet, whose controller adds Pods that do not serve yet
 * and takes away those first that do not. Who acts next is drawn.
 */
interface Herd {
  readonly version: string
  asked: number
  /** One a Pod: whether it is available. */
  pods: Array<boolean>
  /** What its status says, which may be out of date. */
  reported: { readonly pods: number; readonly available: number }
}

interface World {
  readonly replicas: number
  readonly surge: number | string
  readonly unavailable: number | string
  readonly herds: Array<Herd>
}

const count = (pods: ReadonlyArray<boolean>): number => pods.filter((it) => it).length
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, it) => total + it, 0)
const availableIn = (world: World): number => sum(world.herds.map((it) => count(it.pods)))
const askedIn = (world: World): number => sum(world.herds.map((it) => it.asked))

const newest = "v9"

const herdOf = (version: string, asked: number, available: number): Herd => ({
  version,
  asked,
  pods: Array.from({ length: asked }, (_, index) => index < available),
  reported: { pods: asked, available: Math.min(asked, available) }
})

const look = ({ replicas, surge, unavailable, herds }: World): DeploymentObservation =>
  anObservation({
    deployment: aDeployment({ version: newest, replicas, surge, unavailable }),
    replicaSets: herds.map(({ version, asked, reported }, created) =>
      aReplicaSet({ version, created, replicas: asked, pods: reported.pods, available: reported.available })
    )
  })

/** The Deployment acts once: one direction a look, as its chart does. Answers whether it changed anything. */
const roll = (world: World): boolean => {
  const seen = look(world)
  if (seen.next === undefined) {
    const asked = nextReplicaSetSize(seen)
    world.herds.push({ ...herdOf(newest, asked, 0), pods: [], reported: { pods: 0, available: 0 } })
    return true
  }
  const grown = planNext(seen)
  const plan = grown.length > 0 ? grown : planPrevious(seen)
  for (const { replicaSet, replicasTo } of plan) herdFor(world, replicaSet).asked = replicasTo
  return plan.length > 0
}

const herdFor = ({ herds }: World, replicaSet: ReplicaSet): Herd => {
  const herd = herds.find((it) => `web-${it.version}` === replicaSet.metadata.name)
  if (herd === undefined) throw new Error(`no ${replicaSet.metadata.name}`)
  return herd
}

const manage = (herd: Herd): void => {
  const serving = count(herd.pods)
  const kept = Math.min(serving, herd.asked)
  herd.pods = Array.from({ length: herd.asked }, (_, index) => index < kept)
}

const report = (herd: Herd): void => {
  herd.reported = { pods: herd.pods.length, available: count(herd.pods) }
}

const turn = (herd: Herd, to: boolean): void => {
  const place = herd.pods.indexOf(!to)
  if (place >= 0) herd.pods[place] = to
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 7 }),
  fc.integer({ min: 0, max: 110 }).map((percent) => `${percent}%`)
)

const worlds = fc
  .record({
    replicas: fc.integer({ min: 0, max: 23 }),
    surge: amount,
    unavailable: amount,
    herds: fc.array(fc.record({ asked: fc.nat(9), broken: fc.nat(9) }), { minLength: 0, maxLength: 4 })
  })
  .map(({ herds, ...world }): World => ({
    ...world,
    herds: herds.map(({ asked, broken }, index) =>
      herdOf(`v${index + 1}`, asked, Math.max(0, asked - broken))
    )
  }))

/** What happens, drawn: to which ReplicaSet, and what. */
const turns = fc.array(fc.tuple(fc.nat(11), fc.nat(4)), { minLength: 20, maxLength: 100 })

const seed = 20_260_502
const settings = { seed, numRuns: 1_000 }

describe(`laws of a rolling update (seed ${seed})`, () => {
  it("never asks for more than the surge allows, nor drops what must be available, however late reports come", () => {
    fc.assert(
      fc.property(worlds, turns, (start, drawn) => {
        const world = structuredClone(start)
        const { surgeMax, unavailableMax } = look(world)
        const ceiling = Math.max(world.replicas + surgeMax, askedIn(world))
        const floor = Math.min(world.replicas - unavailableMax, availableIn(world))
        for (const [action, index] of drawn) {
          const herd = world.herds[index % Math.max(1, world.herds.length)]
          if (action < 4 || herd === undefined) roll(world)
          else if (action < 7) manage(herd)
          else if (action < 10) turn(herd, true)
          else report(herd)
          expect(askedIn(world)).toBeLessThanOrEqual(ceiling)
          expect(availableIn(world)).toBeGreaterThanOrEqual(floor)
        }
      }),
      settings
    )
  })

  it("never plans below the floor by what is reported, however many Pods break down meanwhile", () => {
    fc.assert(
      fc.property(worlds, turns, (start, drawn) => {
        const world = structuredClone(start)
        const { surgeMax, unavailableMax } = look(world)
        const ceiling = Math.max(world.replicas + surgeMax, askedIn(world))
        for (const [action, index] of drawn) {
          const herd = world.herds[index % Math.max(1, world.herds.length)]
          if (action >= 4 && herd !== undefined) {
            turn(herd, action < 9)
            continue
          }
          for (const it of world.herds) report(it)
          const floor = Math.min(world.replicas - unavailableMax, availableIn(world))
          roll(world)
          for (const it of world.herds) manage(it)
          expect(availableIn(world)).toBeGreaterThanOrEqual(floor)
          expect(askedIn(world)).toBeLessThanOrEqual(ceiling)
        }
      }),
      settings
    )
  })

  it("ends, once Pods of the new revision become available: all new, nothing old", () => {
    fc.assert(
      fc.property(worlds, (start) => {
        const world = structuredClone(start)
        // No old Pod ever gets better; the new revision turns available one Pod at a time.
        let rounds = 0
        let still = 0
        while (still < 2) {
          rounds += 1
          expect(rounds).toBeLessThan(500)
          const moved = roll(world)
          for (const herd of world.herds) manage(herd)
          const next = world.herds.find(({ version }) => version === newest)
          const waiting = next === undefined ? 0 : next.pods.length - count(next.pods)
          if (next !== undefined) turn(next, true)
          for (const herd of world.herds) report(herd)
          still = moved || waiting > 0 ? 0 : still + 1
        }
        expect(world.herds.map(({ version, asked }) => (version === newest ? asked : -asked))).toEqual(
          world.herds.map(({ version }) => (version === newest ? world.replicas : -0))
        )
      }),
      settings
    )
  })

  it("stands still as long as the new revision never becomes available", () => {
    fc.assert(
      fc.property(worlds, (start) => {
        const world = structuredClone(start)
        const { unavailableMax } = look(world)
        const floor = Math.min(world.replicas - unavailableMax, availableIn(world))
        for (let round = 0; round < 60; round += 1) {
          roll(world)
          for (const herd of world.herds) {
            manage(herd)
            report(herd)
          }
          expect(availableIn(world)).toBeGreaterThanOrEqual(floor)
        }
        expect(roll(world)).toBe(false)
      }),
      settings
    )
  })
})
