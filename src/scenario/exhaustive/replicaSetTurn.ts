import { counted } from "../../domain/counted.ts"
import { judgeStatus, unasked } from "../ledger/judgements.ts"
import { activeOf, availableOf, countMax, pack, readyOf, stoppingOf, unpack, unreadyOf } from "./brood.ts"
import { instantMillis } from "./deploymentWrites.ts"
import { nameOf, OutOfScope } from "./step.ts"
import { storedAs } from "./chapters.ts"
import type { Command } from "../../domain/commands.ts"
import type { ReplicaSet } from "../../domain/objects.ts"
import type { ReplicaSetObservation } from "../../domain/replicaSetObservation.ts"
import type { Brood, Packed } from "./brood.ts"
import type { Chapter, Chapters } from "./chapters.ts"
import type { PlayedChart } from "./emitted.ts"
import type { Broken } from "../ledger/violations.ts"
import type { Outcome, Step } from "./step.ts"

/** What a ReplicaSet's turn comes to, up to one of its writes. */
export interface ReplicaSetOutcome extends Outcome {
  readonly packed: Packed
}

export interface ReplicaSetTurns {
  readonly of: (chapter: Chapter, slot: number, packed: Packed) => ReadonlyArray<ReplicaSetOutcome>
  /** How many different observations the chart was shown. */
  readonly looks: () => number
}

/**
 * The turns of the ReplicaSets' controller. It is stopped after any Pod that it has made or deleted, and looks anew:
 * that is how its commands and what Pods do meanwhile come in every order.
 */
export const makeReplicaSetTurns = (
  chart: PlayedChart,
  chapters: Chapters,
  options: { readonly tracksStopping: boolean }
): ReplicaSetTurns => {
  const known = new Map<number, Map<Packed, ReadonlyArray<ReplicaSetOutcome>>>()
  let looks = 0

  const decide = (chapter: Chapter, slot: number, packed: Packed): ReadonlyArray<ReplicaSetOutcome> => {
    const proto = chapter.replicaSets[slot]
    if (proto === undefined) return []
    looks += 1
    const seen = observed(storedAs(proto, packed), packed)
    return perform({ chapters, chapter, slot, seen, ...options }, packed, commandsOf(chart, seen))
  }
  return {
    looks: () => looks,
    of: (chapter, slot, packed) => {
      const place = chapter.id * 2 + slot
      let turns = known.get(place)
      if (turns === undefined) known.set(place, (turns = new Map()))
      let outcomes = turns.get(packed)
      if (outcomes === undefined) turns.set(packed, (outcomes = decide(chapter, slot, packed)))
      return outcomes
    }
  }
}

const observed = (replicaSet: ReplicaSet, packed: Packed): ReplicaSetObservation => {
  const waitMillis = (replicaSet.spec.minReadySeconds ?? 0) * 1000
  const active = activeOf(packed)
  return {
    replicaSet,
    pods: {
      active,
      fullyLabeled: active,
      ready: readyOf(packed) + availableOf(packed),
      available: availableOf(packed),
      terminating: stoppingOf(packed),
      nextAvailableMillis: readyOf(packed) > 0 ? instantMillis + waitMillis : undefined
    },
    claims: { adopt: [], release: [] },
    countsTerminating: true,
    nowMillis: instantMillis
  }
}

/** All that the chart says to one look: a slow start goes on as it is told that its batches were made. */
const commandsOf = (chart: PlayedChart, seen: ReplicaSetObservation): ReadonlyArray<Command> => {
  const all: Array<Command> = []
  let [snapshot, said] = chart.send(chart.begin(), { type: "observed", seen } as { readonly type: string })
  while (said.length > 0) {
    all.push(...said)
    if (!said.some(({ type }) => type === "createPods")) break
    ;[snapshot, said] = chart.send(snapshot, { type: "performed" })
  }
  return all
}

interface Place {
  readonly chapters: Chapters
  readonly chapter: Chapter
  readonly slot: number
  readonly seen: ReplicaSetObservation
  readonly tracksStopping: boolean
}

const perform = (
  place: Place,
  packed: Packed,
  commands: ReadonlyArray<Command>
): ReadonlyArray<ReplicaSetOutcome> => {
  const { chapter } = place
  const outcomes: Array<ReplicaSetOutcome> = []
  const told: Array<string> = []
  let now: ReadonlyArray<ReplicaSetOutcome> = [{ packed, chapter, broken: [], step: stepOf(place.slot, "") }]

  const go = (what: string, next: (from: ReplicaSetOutcome) => ReadonlyArray<ReplicaSetOutcome>): void => {
    const step = stepOf(place.slot, [...told, what].join(", "))
    now = now.flatMap(next).map((it) => ({ ...it, step }))
    for (const it of now) {
      if (it.packed !== packed || it.chapter !== chapter || it.broken.length > 0) outcomes.push(it)
    }
  }
  const made = { createPods: 0, deletePods: 0 }
  for (const command of commands) {
    switch (command.type) {
      case "reportReplicaSet": {
        const { replicas, availableReplicas = 0 } = command.status
        const what = `reported ${counted(replicas, "Pod")}, ${availableReplicas} available`
        go(what, (from) => [reported(place, from, command.status)])
        told.push(what)
        break
      }
      case "createPods":
        for (let done = 0; done < command.count; done += 1) {
          made.createPods += 1
          go(`created ${counted(made.createPods, "Pod")}`, (from) => [grown(place, from)])
        }
        break
      case "deletePods":
        for (let done = 0; done < command.count; done += 1) {
          made.deletePods += 1
          go(`deleted ${counted(made.deletePods, "Pod")}`, (from) => shrunk(place, from))
        }
        break
      case "lookAgain":
        break
      default:
        throw new OutOfScope(`a ReplicaSet that comes to ${command.type} is no part of a small world`)
    }
  }
  return outcomes
}

const stepOf = (slot: number, text: string): Step => ({
  who: (chapter) => `ReplicaSet ${nameOf(chapter, slot)}`,
  what: () => text,
  isFailure: false
})

const changed = (from: ReplicaSetOutcome, by: Partial<Brood>): ReplicaSetOutcome => ({
  ...from,
  packed: pack({ ...unpack(from.packed), ...by })
})

const grown = ({ seen }: Place, from: ReplicaSetOutcome): ReplicaSetOutcome => {
  const next = changed(from, { unready: unreadyOf(from.packed) + 1 })
  const { replicas } = seen.replicaSet.spec
  const left = activeOf(next.packed)
  return left <= replicas
    ? next
    : withBroken(next, seen, "created", `Pods <= replicas: ${left} <= ${replicas}`)
}

/** Pods that are not ready go before those that are; among those that are, it may be any. */
const shrunk = (
  { seen, tracksStopping }: Place,
  from: ReplicaSetOutcome
): ReadonlyArray<ReplicaSetOutcome> => {
  const { unready, ready, available, stopping } = unpack(from.packed)
  // More than can be counted are gone at once: so many there are only where things go round in circles.
  const going = tracksStopping ? { stopping: Math.min(stopping + 1, countMax) } : {}
  const { replicas } = seen.replicaSet.spec
  const choices: ReadonlyArray<Partial<Brood>> =
    unready > 0
      ? [{ unready: unready - 1 }]
      : [
          ...(ready > 0 ? [{ ready: ready - 1 }] : []),
          ...(available > 0 ? [{ available: available - 1 }] : [])
        ]
  return choices.map((choice) => {
    const next = changed(from, { ...choice, ...going })
    const left = activeOf(next.packed)
    return left >= replicas
      ? next
      : withBroken(next, seen, "deleted", `Pods left >= replicas: ${left} >= ${replicas}`)
  })
}

const withBroken = (
  outcome: ReplicaSetOutcome,
  { replicaSet }: ReplicaSetObservation,
  deed: string,
  line: string
): ReplicaSetOutcome =>
  outcome.broken.length > 0
    ? outcome
    : { ...outcome, broken: [unasked(replicaSet, `${deed} a Pod of ${replicaSet.metadata.name}`, line)] }

/** What is reported is what is there when it is looked at, and possible. */
const reported = (
  { chapters, chapter, slot, seen }: Place,
  from: ReplicaSetOutcome,
  status: ReplicaSet["status"]
): ReplicaSetOutcome => {
  const after: ReplicaSet = { ...seen.replicaSet, status }
  const { replicas, availableReplicas = 0 } = status
  const next = changed(from, { toldPods: replicas, toldAvailable: availableReplicas })
  const { active, available } = seen.pods
  const wrong: Broken = {
    rule: "statusCounts",
    who: "ReplicaSet controller",
    what: `wrote the status of ${after.metadata.name}`,
    sums: `${replicas} replicas and ${availableReplicas} available reported, ${active} and ${available} there`,
    broken: "what is reported is what is there"
  }
  const slots = chapter.replicaSets.map((it, index) => (index === slot ? after : it))
  return {
    ...next,
    chapter: chapters.of(chapter.deployment, slots),
    broken: [
      ...judgeStatus(seen.replicaSet, after),
      ...(replicas === active && availableReplicas === available ? [] : [wrong])
    ]
  }
}
