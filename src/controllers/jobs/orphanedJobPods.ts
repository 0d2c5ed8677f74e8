import * as Effect from "effect/Effect"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { hasTrackingFinalizer } from "../../kubernetes/batch/jobs/jobPods.ts"
import { keyInNamespaceOf } from "../controllerServices.ts"
import { makeMailbox } from "../../runtime/workers/mailbox.ts"
import { noSnapshotParts } from "../../runtime/snapshotParts.ts"
import { orphanedJobPodTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import { processMailbox } from "../../runtime/workers/worker.ts"
import { releasePod } from "./performJobCommand.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { runInformer } from "../../runtime/workers/informer.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { Kernel } from "../../runtime/time/kernel.ts"
import type { Key, Pod } from "../../kubernetes/meta/objects.ts"
import type { Scope } from "effect/Scope"
import type { StoreError } from "../../store/storeErrors.ts"

/** Source: pkg/controller/job/job_controller.go (orphanWorker, syncOrphanPod). */
export const runOrphanedJobPods = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const mailbox = yield* makeMailbox({ kernel, turnOrder: orphanedJobPodTurnOrder, snapshotParts })
  const isOrphaned = (pod: Pod): boolean => {
    if (!hasTrackingFinalizer(pod)) return false
    const owner = controllerOf(pod)
    if (owner === undefined) return true
    return (
      owner.kind === "Job" &&
      view.get(resources.jobs, keyInNamespaceOf(pod, owner.name))?.metadata.uid !== owner.uid
    )
  }
  const offer = (pod: Pod): void => {
    if (isOrphaned(pod)) mailbox.offer(objectKeyOf(pod))
  }
  const onChange = ({ resource, type, object }: Change): void => {
    if (resource === resources.pods && type !== "DELETED") offer(object as Pod)
    if (resource === resources.jobs && type === "DELETED")
      for (const pod of view.controlled(resources.pods, object.metadata.uid)) offer(pod)
  }
  const release = (key: Key): Effect.Effect<void, StoreError> => {
    const pod = view.get(resources.pods, key)
    if (pod === undefined || !isOrphaned(pod)) return Effect.void
    return releasePod(services, pod, pod.metadata)
  }
  yield* processMailbox({ mailbox, attempt: release, snapshotParts })
  yield* runInformer(services, onChange, {
    resources: [resources.pods, resources.jobs],
    initialList: [resources.pods]
  })
})
