import { approvalGate } from "../../../kubernetes/steering/steeringNames.ts"
import { timestampOf } from "../../../kubernetes/meta/amounts/timestamps.ts"
import { modelBeginMillis } from "../modelObjects.ts"
import type { Pod, ReplicaSet } from "../../../kubernetes/meta/objects.ts"

/** Counts of Pods in the order of `allPodClasses`. */
export type PodCountsByClass = ReadonlyArray<number>

/** A `crashed` Pod was restarted more often than any steering strategy allows. */
const podPhases = ["starting", "up", "crashed", "unschedulable"] as const
type PodPhase = (typeof podPhases)[number]

interface PodClass {
  readonly phase: PodPhase
  readonly isApproved: boolean
  /** Whether the steering record names the Pod. */
  readonly isReservedForApproval: boolean
}

export const allPodClasses: ReadonlyArray<PodClass> = podPhases.flatMap((phase) =>
  [false, true].flatMap((isApproved) =>
    [false, true].map((isReservedForApproval) => ({ phase, isApproved, isReservedForApproval }))
  )
)

export const noSteeredPods: PodCountsByClass = allPodClasses.map(() => 0)

export const classIndex = ({ phase, isApproved, isReservedForApproval }: PodClass): number =>
  podPhases.indexOf(phase) * 4 + (isApproved ? 2 : 0) + (isReservedForApproval ? 1 : 0)

const startingPod = classIndex({ phase: "starting", isApproved: false, isReservedForApproval: false })

export const isClassAvailable = ({ phase, isApproved }: PodClass): boolean => phase === "up" && isApproved

export const countPods = (pods: PodCountsByClass, matches: (podClass: PodClass) => boolean): number =>
  pods.reduce((sum, count, index) => {
    const podClass = allPodClasses[index]
    return podClass !== undefined && matches(podClass) ? sum + count : sum
  }, 0)

/** For `changePodClass`: the Pod is gone. */
export const noClass = undefined

export const changePodClass = (
  pods: PodCountsByClass,
  fromIndex: number | undefined,
  toIndex: number | undefined
): PodCountsByClass =>
  pods.map((count, index) => count - (index === fromIndex ? 1 : 0) + (index === toIndex ? 1 : 0))

export const addPods = (pods: PodCountsByClass, added: number): PodCountsByClass =>
  pods.map((count, index) => (index === startingPod ? count + added : count))

export const deletePods = (
  pods: PodCountsByClass,
  deleted: number,
  matches: (podClass: PodClass) => boolean
): ReadonlyArray<PodCountsByClass> => {
  if (deleted === 0) return [pods]
  const possiblePods = allPodClasses.flatMap((podClass, index) =>
    matches(podClass) && (pods[index] ?? 0) > 0
      ? deletePods(changePodClass(pods, index, noClass), deleted - 1, matches)
      : []
  )
  return [...new Map(possiblePods.map((podCounts) => [podCounts.join(), podCounts])).values()]
}

export const storedPods = (
  replicaSet: ReplicaSet,
  pods: PodCountsByClass
): ReadonlyArray<{ readonly pod: Pod; readonly indexOfClass: number }> =>
  pods.flatMap((count, indexOfClass) =>
    Array.from({ length: count }, (_, ordinal) => ({
      indexOfClass,
      pod: storedPod(replicaSet, indexOfClass, ordinal)
    }))
  )

const storedPod = (replicaSet: ReplicaSet, indexOfClass: number, ordinal: number): Pod => {
  const { phase, isApproved } = allPodClasses[indexOfClass] ?? { phase: "starting", isApproved: false }
  const isUp = phase === "up"
  const { spec } = replicaSet.spec.template
  const condition = (type: string, isTrue: boolean, reason?: string) => ({
    type,
    status: isTrue ? "True" : "False",
    ...(reason === undefined ? {} : { reason }),
    lastTransitionTime: timestampOf(modelBeginMillis)
  })
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${replicaSet.metadata.name}-${indexOfClass}-${ordinal}`,
      namespace: replicaSet.metadata.namespace ?? "default",
      uid: `${replicaSet.metadata.name}-${indexOfClass}-${ordinal}`,
      resourceVersion: "1",
      creationTimestamp: timestampOf(modelBeginMillis)
    },
    spec: spec ?? { containers: [] },
    status: {
      phase: "Running",
      conditions: [
        condition("ContainersReady", isUp),
        condition("Ready", isUp && isApproved),
        condition(approvalGate, isApproved),
        ...(phase === "unschedulable" ? [condition("PodScheduled", false, "Unschedulable")] : [])
      ],
      containerStatuses: [
        {
          name: "app",
          image: "",
          imageID: "",
          ready: isUp,
          restartCount: phase === "crashed" ? crashRestarts : 0,
          state: { running: {} }
        }
      ]
    }
  }
}

const crashRestarts = 1_000_000
