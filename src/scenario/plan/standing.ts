import * as Effect from "effect/Effect"
import { isSameTemplate } from "../../domain/podTemplates.ts"
import { playAct } from "./acts.ts"
import { reasonsOf } from "./obstacles.ts"
import { resources } from "../../domain/kinds.ts"
import { servicesOf } from "./planRequests.ts"
import { undone } from "../../domain/undo.ts"
import { keyOf } from "../../domain/objects.ts"
import type { Deployment, Key } from "../../domain/objects.ts"
import type { Service } from "../../domain/endpoints.ts"
import type { Stage } from "./acts.ts"

/** How far what runs before has come. */
export interface RunsBefore {
  readonly desired: number
  readonly available: number
  /** Why that is not all of it. */
  readonly reasons: ReadonlyArray<string>
}

/** What stands before something is applied. */
export interface Standing {
  readonly template: Deployment["spec"]["template"]
  /** Those that find its Pods. */
  readonly services: ReadonlyArray<Service>
  /** All the Services that there are, whatever they find: to one that is not there nobody sends. */
  readonly asked: ReadonlySet<Key>
  readonly before: RunsBefore
}

export const standingOf = (
  { cluster, ledger }: Stage,
  keys: ReadonlyArray<Key>
): ReadonlyMap<Key, Standing> => {
  const asked = new Set([...cluster.view.all(resources.services)].map(keyOf))
  return new Map(
    keys.flatMap((key) => {
      const deployment = cluster.view.get(resources.deployments, key)
      const entry = ledger.of(key)
      if (deployment === undefined || entry === undefined) return []
      const { desired, available } = entry.now()
      const reasons = available < desired ? reasonsOf(cluster, key) : []
      const services = servicesOf(cluster.view, deployment)
      const { template } = deployment.spec
      return [[key, { template, services, asked, before: { desired, available, reasons } }] as const]
    })
  )
}

/** Undoes what has another template than before, and nothing else of it: `kubectl rollout undo`. */
export const goBack = Effect.fnUntraced(function* (stage: Stage, standing: ReadonlyMap<Key, Standing>) {
  const { cluster, watch } = stage
  const changed = [...standing].flatMap(([key, { template }]) => {
    const deployment = cluster.view.get(resources.deployments, key)
    if (deployment === undefined || isSameTemplate(deployment.spec.template, template)) return []
    const replicaSets = cluster.view.controlled(resources.replicaSets, deployment.metadata.uid)
    const back = undone(deployment, replicaSets)
    return "why" in back ? [] : [{ key, next: back.next }]
  })
  if (changed.length === 0) return []
  const { beganMillis } = yield* playAct(stage, {
    verb: "undo",
    keys: changed.map(({ key }) => key),
    // A template that was taken once is taken again.
    deed: Effect.orDie(Effect.forEach(changed, ({ next }) => cluster.store.update(next)))
  })
  return changed.map(({ key }) => {
    const { completeMillis } = watch.of(key)
    return { key, undoMillis: completeMillis === undefined ? undefined : completeMillis - beganMillis }
  })
})
