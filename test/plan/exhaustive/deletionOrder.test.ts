import { expect, it } from "vitest"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { isPodReady } from "../../../src/kubernetes/pods/podState.ts"
import { makeModelObjectsTable } from "../../../src/plan/exhaustive/modelObjects.ts"
import { packCounts, unpackCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"
import { makePureChart } from "../../../src/plan/exhaustive/pureChart.ts"
import { makeReplicaSetReconciler } from "../../../src/plan/exhaustive/replicaSetReconciler.ts"
import { makePodTallies } from "../../../src/store/indexes/podTallies.ts"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../../builders.ts"

const replicaSet = aReplicaSet({ replicas: 0 })

/** Whether the Pods that may be the first to be deleted in the model are ready. */
const inModel = (unready: number, ready: number, available: number): ReadonlySet<boolean> => {
  const objectsTable = makeModelObjectsTable("decisive")
  const objects = objectsTable.findOrAdd(aDeployment(), [replicaSet, undefined])
  const counts = { unready, ready, available, stopping: 0 }
  const replicas = unready + ready + available - 1
  const packed = packCounts({
    ...counts,
    specReplicas: replicas,
    reportedPods: replicas + 1,
    reportedAvailable: available
  })
  const reconciler = makeReplicaSetReconciler(makePureChart(replicaSetMachine), objectsTable, {
    tracksStopping: false
  })
  const left = reconciler.outcomesOf(objects, 0, packed).map((it) => unpackCounts(it.packed))
  return new Set(
    left.flatMap((it) => {
      if (it.unready < unready) return [false]
      return it.ready < ready || it.available < available ? [true] : []
    })
  )
}

/** Whether the Pod that the ReplicaSet controller deletes first is ready. */
const inCluster = (unready: number, ready: number): boolean | undefined => {
  const pods = Array.from({ length: unready + ready }, (_, index) =>
    aPod({ name: `web-${index}`, owner: replicaSet, ready: index >= unready, created: -index })
  )
  const tallies = makePodTallies(() => pods)
  for (const pod of pods) tallies.update(undefined, pod)
  const { uid } = replicaSet.metadata
  const [first] = tallies.firstToDelete({
    ownerUid: uid,
    relatedOwnerUids: [uid],
    count: 1,
    nowMillis: startMillis
  })
  return first && isPodReady(first)
}

it.each([
  { unready: 2, ready: 1, available: 0, isReady: false },
  { unready: 1, ready: 1, available: 2, isReady: false },
  { unready: 1, ready: 0, available: 1, isReady: false },
  { unready: 0, ready: 1, available: 2, isReady: true },
  { unready: 2, ready: 0, available: 0, isReady: false }
])(
  "$unready unready, $ready ready and $available available Pods are deleted in the cluster's order",
  (row) => {
    const { unready, ready, available } = row
    expect([...inModel(unready, ready, available)]).toEqual([inCluster(unready, ready + available)])
  }
)
