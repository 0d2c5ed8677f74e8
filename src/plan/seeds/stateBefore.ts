import * as Effect from "effect/Effect"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { podCountsOf, playChange } from "./playChange.ts"
import { incompleteReasons } from "./incompleteReasons.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { servicesSelecting } from "./rolloutRequests.ts"
import { undoRollout } from "../../kubernetes/apps/revisions/undoRollout.ts"
import { findWorkload, toWorkloadWithKind } from "../workloads.ts"
import { recordsTemplate } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import type { Key, KubeObject, PodTemplate } from "../../kubernetes/meta/objects.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"
import type { WorkloadWithKind, WorkloadId, WorkloadReference } from "../workloads.ts"
import type { ObservedCluster } from "./playChange.ts"

export interface AvailabilityBefore {
  readonly desired: number
  readonly available: number
  readonly reasons: ReadonlyArray<string>
}

export interface StateBefore {
  readonly template: PodTemplate
  readonly selectingServices: ReadonlyArray<Service>
  readonly allServices: ReadonlySet<Key>
  readonly reference: WorkloadReference
  readonly availability: AvailabilityBefore
}

export const statesBefore = (
  observedCluster: ObservedCluster,
  references: ReadonlyArray<WorkloadReference>
): ReadonlyMap<WorkloadId, StateBefore> => {
  const { view } = observedCluster.cluster
  const allServices = new Set([...view.all(resources.services)].map(objectKeyOf))
  return new Map(
    references.flatMap((reference) => {
      const workload = findWorkload(view, reference)
      const podCounts = podCountsOf(observedCluster, reference)
      if (workload === undefined || podCounts === undefined) return []
      const { desired, available } = podCounts.now()
      const reasons =
        available < desired
          ? incompleteReasons(observedCluster.cluster, reference, observedCluster.configAndVolumes).map(
              ({ text }) => text
            )
          : []
      const selectingServices = servicesSelecting(view, workload)
      const availability = { desired, available, reasons }
      return [
        [
          reference.id,
          { reference, template: workload.spec.template, selectingServices, allServices, availability }
        ] as const
      ]
    })
  )
}

export const undoRollouts = Effect.fnUntraced(function* (
  observedCluster: ObservedCluster,
  states: ReadonlyMap<WorkloadId, StateBefore>
) {
  const { cluster, rolloutWatch } = observedCluster
  const undos = [...states.values()].flatMap(({ reference, template }) => {
    const workload = findWorkload(cluster.view, reference)
    if (workload === undefined || isSameTemplate(workload.spec.template, template)) return []
    const next = undoneObject(cluster, toWorkloadWithKind(reference.resource, workload), template)
    return next === undefined ? [] : [{ reference, next }]
  })
  if (undos.length === 0) return []
  const { beganMillis } = yield* playChange(observedCluster, {
    verb: "undo",
    workloads: undos.map(({ reference }) => reference),
    writes: [Effect.orDie(Effect.forEach(undos, ({ next }) => cluster.store.update(next)))]
  })
  return undos.map(({ reference: { id } }) => {
    const { completeMillis } = rolloutWatch.endOf(id)
    return { id, undoMillis: completeMillis === undefined ? undefined : completeMillis - beganMillis }
  })
})

/**
 * Source: kubectl/pkg/polymorphichelpers/rollback.go (StatefulSetRollbacker,
 * DaemonSetRollbacker).
 */
const undoneObject = (
  { view }: ObservedCluster["cluster"],
  { kind, object }: WorkloadWithKind,
  template: PodTemplate
): KubeObject | undefined => {
  if (kind === "Job") return undefined
  if (kind === "Deployment") {
    const undo = undoRollout(object, view.controlled(resources.replicaSets, object.metadata.uid))
    return "refusal" in undo ? undefined : undo.updatedObject
  }
  const revisions = view.controlled(resources.controllerRevisions, object.metadata.uid)
  return revisions.some((revision) => recordsTemplate(revision, template))
    ? Object.assign({}, object, { spec: { ...object.spec, template } })
    : undefined
}
