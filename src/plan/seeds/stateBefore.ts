import * as Effect from "effect/Effect"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { playChange } from "./playChange.ts"
import { incompleteReasons } from "./incompleteReasons.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { servicesSelecting } from "./rolloutRequests.ts"
import { undoRollout } from "../../kubernetes/apps/revisions/undoRollout.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import type { Deployment, Key } from "../../kubernetes/meta/objects.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"
import type { ObservedCluster } from "./playChange.ts"

/** A Deployment's availability before its rollout, with reasons if below desired. */
export interface AvailabilityBefore {
  readonly desired: number
  readonly available: number
  readonly reasons: ReadonlyArray<string>
}

export interface StateBefore {
  readonly template: Deployment["spec"]["template"]
  readonly services: ReadonlyArray<Service>
  /** Of all Services: clients send requests to these only. */
  readonly existingServices: ReadonlySet<Key>
  readonly before: AvailabilityBefore
}

export const statesBefore = (
  { cluster, ledger }: ObservedCluster,
  keys: ReadonlyArray<Key>
): ReadonlyMap<Key, StateBefore> => {
  const existingServices = new Set([...cluster.view.all(resources.services)].map(objectKeyOf))
  return new Map(
    keys.flatMap((key) => {
      const deployment = cluster.view.get(resources.deployments, key)
      const entry = ledger.of(key)
      if (deployment === undefined || entry === undefined) return []
      const { desired, available } = entry.now()
      const reasons = available < desired ? incompleteReasons(cluster, key) : []
      const services = servicesSelecting(cluster.view, deployment)
      const { template } = deployment.spec
      return [
        [key, { template, services, existingServices, before: { desired, available, reasons } }] as const
      ]
    })
  )
}

export const undoRollouts = Effect.fnUntraced(function* (
  observedCluster: ObservedCluster,
  statesByKey: ReadonlyMap<Key, StateBefore>
) {
  const { cluster, watch } = observedCluster
  const undoneDeployments = [...statesByKey].flatMap(([key, { template }]) => {
    const deployment = cluster.view.get(resources.deployments, key)
    if (deployment === undefined || isSameTemplate(deployment.spec.template, template)) return []
    const replicaSets = cluster.view.controlled(resources.replicaSets, deployment.metadata.uid)
    const undo = undoRollout(deployment, replicaSets)
    return "why" in undo ? [] : [{ key, next: undo.next }]
  })
  if (undoneDeployments.length === 0) return []
  const { beganMillis } = yield* playChange(observedCluster, {
    verb: "undo",
    keys: undoneDeployments.map(({ key }) => key),
    write: Effect.orDie(Effect.forEach(undoneDeployments, ({ next }) => cluster.store.update(next)))
  })
  return undoneDeployments.map(({ key }) => {
    const { completeMillis } = watch.endOf(key)
    return { key, undoMillis: completeMillis === undefined ? undefined : completeMillis - beganMillis }
  })
})
