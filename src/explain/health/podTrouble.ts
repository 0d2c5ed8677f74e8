import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import {
  allContainerStatuses,
  isPodFinished,
  isPodReady,
  unschedulableCondition
} from "../../kubernetes/pods/podState.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import type { ContainerStatus, Node, Pod } from "../../kubernetes/meta/objects.ts"

/**
 * Troubles in the order in which they are told: a lost node explains what happens to its Pods. `config`: a container
 * cannot start for another reason than its image. `restarts`: the Pod serves between crashes.
 */
export const troubleKinds = ["node", "image", "config", "crash", "placement", "restarts"] as const

export type TroubleKind = (typeof troubleKinds)[number]

export interface PodTrouble {
  readonly kind: TroubleKind
  /** The node, the image, the exit's reason or the kubelet's reason; empty for Pods without a node. */
  readonly detail: string
}

/** Undefined for a Pod that serves, stops, has ended, or may still become ready by itself. */
export const podTrouble = (pod: Pod, nodes: ReadonlyMap<string, Node>): PodTrouble | undefined => {
  if (isTerminating(pod) || isPodFinished(pod) || isPodReady(pod)) return undefined
  const troubleOfNode = nodeTrouble(pod, nodes)
  if (troubleOfNode !== undefined) return troubleOfNode
  for (const status of allContainerStatuses(pod)) {
    const trouble = containerTrouble(status)
    if (trouble !== undefined) return trouble
  }
  return unschedulableCondition(pod) === undefined ? undefined : { kind: "placement", detail: "" }
}

/** From this number on, restarts are no accident. */
const restartsMin = 3

export const restartTrouble = (pod: Pod): PodTrouble | undefined => {
  if (isTerminating(pod) || !isPodReady(pod)) return undefined
  for (const { restartCount, lastState } of allContainerStatuses(pod)) {
    const exit = lastState?.terminated
    if (restartCount >= restartsMin && exit !== undefined && exit.exitCode !== 0)
      return { kind: "restarts", detail: exitText(exit) }
  }
  return undefined
}

export const nodeTrouble = (pod: Pod, nodes: ReadonlyMap<string, Node>): PodTrouble | undefined => {
  const node = nodes.get(pod.spec.nodeName ?? "")
  return node === undefined || conditionOf(node.status.conditions, "Ready")?.status === "True"
    ? undefined
    : { kind: "node", detail: nodeText(node) }
}

const nodeText = ({ metadata, status }: Node): string =>
  `${metadata.name} is ${conditionOf(status.conditions, "Ready")?.status === "Unknown" ? "lost" : "not ready"}`

/** Source: pkg/kubelet/images/types.go. */
const imageReasons: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable"
])
const startingReasons: ReadonlySet<string> = new Set(["", "ContainerCreating", "PodInitializing"])

/** The restart count shows that a running container is between two crashes. */
const containerTrouble = (status: ContainerStatus): PodTrouble | undefined => {
  const { state, lastState, ready, restartCount, image } = status
  const waitingReason = state?.waiting?.reason ?? ""
  if (imageReasons.has(waitingReason)) return { kind: "image", detail: image }
  const exit = state?.terminated ?? lastState?.terminated
  const hasCrashed = exit !== undefined && exit.exitCode !== 0 && !ready
  if (hasCrashed && (restartCount > 0 || state?.running === undefined))
    return { kind: "crash", detail: exitText(exit) }
  if (waitingReason === "CrashLoopBackOff") return { kind: "crash", detail: waitingReason }
  return startingReasons.has(waitingReason) ? undefined : { kind: "config", detail: waitingReason }
}

/** `OOMKilled`; `exit code 1` where the reason says only that the container failed. */
export const exitText = ({
  reason,
  exitCode
}: {
  readonly reason?: string
  readonly exitCode: number
}): string => (reason === undefined || reason === "Error" ? `exit code ${exitCode}` : reason)

/** `15 Pods crash: OOMKilled`. */
export const troubleText = ({ kind, detail }: PodTrouble, count: number): string => {
  const pods = countText(count, "Pod")
  const verb = (singular: string, plural: string): string => `${pods} ${count === 1 ? singular : plural}`
  switch (kind) {
    case "node":
      return `${detail}, with ${pods}`
    case "image":
      return `${pods} cannot pull ${detail}`
    case "config":
      return `${verb("cannot start", "cannot start")}: ${detail}`
    case "crash":
      return `${verb("crashes", "crash")}: ${detail}`
    case "placement":
      return verb("finds no node", "find no node")
    case "restarts":
      return `${verb("is ready and has", "are ready and have")} crashed ${restartsMin} times or more: ${detail}`
  }
}
