import { nextReplicaSet } from "../../domain/nextReplicaSet.ts"
import { rolloutStatus } from "../../domain/rolloutStatus.ts"
import { toldAvailableOf, toldPodsOf, askedOf } from "./brood.ts"
import type { Deployment, DeploymentStatus, ReplicaSet, ReplicaSetStatus } from "../../domain/objects.ts"
import type { Packed } from "./brood.ts"

/**
 * What is so in a small world besides its counts: the objects themselves, which change seldom. Worlds that differ only
 * in counts share one.
 */
export interface Chapter {
  readonly id: number
  readonly deployment: Deployment
  /** Oldest first; undefined in the place of one that was deleted or is not there yet. */
  readonly replicaSets: readonly [ReplicaSet | undefined, ReplicaSet | undefined]
  /** Which of them is of the present template: 0 or 1; -1 where none is. */
  readonly next: number
  /** Whether the Deployment says that its rollout is over. */
  readonly isComplete: boolean
  /** Whether Pods of a ReplicaSet that are ready have to wait before they are available. */
  readonly isWaiting: readonly [boolean, boolean]
}

/** How much of what controllers write of themselves is told apart. */
export type Memory =
  /** What their next decisions can depend on. */
  | "decisive"
  /** All of it: many more states, and the same verdicts. */
  | "everything"

export interface Chapters {
  /** The chapter of these objects, whatever their sizes and counts are. */
  readonly of: (deployment: Deployment, replicaSets: ReadonlyArray<ReplicaSet | undefined>) => Chapter
  readonly at: (id: number) => Chapter
}

export const makeChapters = (memory: Memory): Chapters => {
  const byText = new Map<string, Chapter>()
  const all: Array<Chapter> = []
  return {
    at: (id) => {
      const chapter = all[id]
      if (chapter === undefined) throw new Error(`there is no chapter ${id}`)
      return chapter
    },
    of: (given, [first, second]) => {
      const deployment = memory === "everything" ? given : withDecisiveStatus(given)
      const isTracked = memory === "everything" || given.spec.revisionHistoryLimit === 0
      const replicaSets = [
        first && withoutCounts(first, isTracked, memory),
        second && withoutCounts(second, isTracked, memory)
      ] as const
      const text = JSON.stringify([textOf(deployment), ...replicaSets.map((it) => it && textOf(it))])
      const known = byText.get(text)
      if (known !== undefined) return known
      const chapter: Chapter = {
        id: all.length,
        deployment,
        replicaSets,
        next: nextOf(deployment, replicaSets),
        isComplete: rolloutStatus(deployment).state === "complete",
        isWaiting: [waits(first), waits(second)]
      }
      byText.set(text, chapter)
      all.push(chapter)
      return chapter
    }
  }
}

/** A ReplicaSet as it is stored: with the size and the report that its brood tells. */
export const storedAs = (replicaSet: ReplicaSet, packed: Packed): ReplicaSet => {
  const [told, available] = [toldPodsOf(packed), toldAvailableOf(packed)]
  return {
    ...replicaSet,
    spec: { ...replicaSet.spec, replicas: askedOf(packed) },
    status: {
      ...(told === 0 ? {} : { fullyLabeledReplicas: told }),
      ...(available === 0 ? {} : { readyReplicas: available, availableReplicas: available }),
      ...replicaSet.status,
      replicas: told
    }
  }
}

const waits = (replicaSet: ReplicaSet | undefined): boolean => (replicaSet?.spec.minReadySeconds ?? 0) > 0

const nextOf = (deployment: Deployment, replicaSets: Chapter["replicaSets"]): number => {
  const next = nextReplicaSet(
    deployment,
    replicaSets.filter((it) => it !== undefined)
  )
  return next === undefined ? -1 : replicaSets.indexOf(next)
}

/**
 * What a Deployment says of itself decides nothing but whether its rollout is over. Conditions and the counts of one
 * that is under way are read by people, and by itself only to write the next ones.
 */
const withDecisiveStatus = (deployment: Deployment): Deployment => {
  const { conditions: _conditions, ...counts } = deployment.status
  const status: DeploymentStatus =
    rolloutStatus({ ...deployment, status: counts }).state === "complete" ? counts : {}
  return { ...deployment, status }
}

/**
 * Sizes and what decides in reports are counted in broods. Whether a ReplicaSet has seen its newest size matters only
 * to one that is to be cleaned up at once.
 */
const withoutCounts = (replicaSet: ReplicaSet, isTracked: boolean, memory: Memory): ReplicaSet => {
  const { replicas: _pods, availableReplicas: _available, ...rest } = replicaSet.status
  const seen = { observedGeneration: isTracked ? (rest.observedGeneration ?? 0) : 1, terminatingReplicas: 0 }
  const status = memory === "everything" ? rest : seen
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, generation: 1 },
    spec: { ...replicaSet.spec, replicas: 0 },
    // Its counts are added where it is read.
    status: status as ReplicaSetStatus
  }
}

/** What can change of an object in the course of a rollout. */
const textOf = ({ metadata, status, spec }: Deployment | ReplicaSet): ReadonlyArray<unknown> => [
  metadata.name,
  metadata.annotations,
  metadata.generation,
  "strategy" in spec ? undefined : spec.minReadySeconds,
  status
]
