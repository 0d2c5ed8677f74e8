import * as Effect from "effect/Effect"
import { annotationOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { controllingOwner } from "../../store/ownerLookup.ts"
import { hasBeenComplete } from "../../kubernetes/steering/steeringObservation.ts"
import { workloadsAmong } from "../workloads.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { steeredCondition, strategyAnnotation } from "../../kubernetes/steering/steeringNames.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { keysAmong } from "../documentKeys.ts"
import { withChangedContainers } from "./slowStarts.ts"
import type { ChangeLife } from "./slowStarts.ts"
import type { ContainerLife } from "../../kubernetes/pods/podLife.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { PlanInput, PlaySeed } from "../seeds/playSeed.ts"
import type { WorkloadId } from "../workloads.ts"

export interface SteeredFailure {
  /** A clause such as `its image cannot be pulled`. */
  readonly way: string
  /**
   * `held`: the rollout is given up, and its Pods stay. `unnoticed`: the revision is complete although it fails.
   * `stuck`: the steering does nothing about it.
   */
  readonly end: "takenBack" | "held" | "unnoticed" | "stuck"
  /** The time until the earlier revision served alone again. */
  readonly millis: number | undefined
  readonly availableFewest: number
  readonly lost: number | undefined
}

export type SteeredFailures = ReadonlyMap<WorkloadId, ReadonlyArray<SteeredFailure>>

/** Longer than a rollout is played. */
const neverMillis = 24 * 3_600_000

const failureWays: ReadonlyArray<{ readonly way: string; readonly failingLife: Partial<ContainerLife> }> = [
  { way: "its image cannot be pulled", failingLife: { pullFailures: Infinity } },
  {
    way: "its containers crash",
    failingLife: { exit: { afterMillis: 2000, code: 1, reason: "Error", times: Infinity } }
  },
  { way: "it never answers", failingLife: { readyMillis: neverMillis } }
]

export const playSteeredFailures = Effect.fnUntraced(function* <E>(
  input: PlanInput,
  play: (...args: Parameters<PlaySeed>) => Effect.Effect<Effect.Success<ReturnType<PlaySeed>>, E>,
  seed: number
): Effect.fn.Return<SteeredFailures, E> {
  const steered = new Set(
    input.next
      .filter(({ draft }) => annotationOf(draft as Deployment, strategyAnnotation) !== undefined)
      .flatMap((document) => keysAmong([document], resources.deployments))
  )
  const before = new Set(keysAmong(input.from ?? [], resources.deployments))
  const steeredWorkloads = workloadsAmong(input.next).filter(
    ({ resource, key }) => resource === resources.deployments && steered.has(key) && before.has(key)
  )
  const failuresById = new Map<WorkloadId, Array<SteeredFailure>>()
  if (steeredWorkloads.length === 0) return failuresById
  for (const { way, failingLife } of failureWays) {
    const changeLife = withFailingRevisions(new Set(steeredWorkloads.map(({ key }) => key)), failingLife)
    const { rollouts, workloads } = yield* play(seed, { undo: false, changeLife })
    for (const { id } of steeredWorkloads) {
      const [run, workload] = [rollouts.get(id), workloads.get(id)]
      if (run === undefined || workload === undefined) continue
      const end = failureEndOf(workload.object as Deployment)
      failuresById.set(id, [
        ...(failuresById.get(id) ?? []),
        {
          way,
          end,
          millis: end === "takenBack" ? run.takenBackMillis : undefined,
          availableFewest: run.extremes.availableFewest,
          lost: run.requests?.lost
        }
      ])
    }
  }
  return failuresById
})

const failureEndOf = ({ status }: Deployment): SteeredFailure["end"] => {
  const reason = conditionOf(status.conditions, steeredCondition)?.reason
  if (reason === "RolledBack") return "takenBack"
  if (reason === "Held") return "held"
  return reason === "Complete" ? "unnoticed" : "stuck"
}

/** Makes the Pods of all revisions fail that were never complete. */
const withFailingRevisions =
  (keys: ReadonlySet<string>, failingLife: Partial<ContainerLife>): ChangeLife =>
  (pod, drawnLife, view) => {
    const replicaSet = controllingOwner(view, resources.replicaSets, pod)
    if (replicaSet === undefined || hasBeenComplete(replicaSet)) return drawnLife
    const deployment = controllingOwner(view, resources.deployments, replicaSet)
    const isFailing = deployment !== undefined && keys.has(objectKeyOf(deployment))
    return isFailing ? withChangedContainers(drawnLife, failingLife) : drawnLife
  }
