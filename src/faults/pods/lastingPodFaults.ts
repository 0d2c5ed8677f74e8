import { randomGeneratorFor } from "../seededDraws.ts"
import { compileDelay } from "../../behaviours/delays.ts"
import { compileGlob } from "../../behaviours/matchBehaviours.ts"
import { isChosenPod } from "./choosePods.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Delay } from "../../behaviours/behaviour.ts"
import type { ContainerRole } from "../../kubernetes/pods/containers/containerRoles.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { ContainerLife } from "../../kubernetes/pods/podLife.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { PodChoice } from "../schemas/faultFields.ts"

export type LastingPodFault =
  /** Each run ends before its first probe succeeds. */
  | { readonly type: "crash"; readonly among: AffectedPods; readonly code: number; readonly reason: string }
  | {
      readonly type: "flap"
      readonly among: AffectedPods
      readonly readyMillis: number
      readonly unreadyMillis: number
    }
  | { readonly type: "slowStart"; readonly among: SlowNewPods; readonly by: Delay; readonly seed: number }
  | { readonly type: "pullFails"; readonly image: string; readonly error: string }

export type AffectedPods =
  | { readonly uids: ReadonlySet<string> }
  | { readonly choice: PodChoice; readonly uids?: undefined }

/** Pods created while a slow start lasts; they stay slow after its end. */
export interface SlowNewPods {
  readonly choice: PodChoice
  /** Uids of the Pods that existed when the fault began. */
  readonly before: ReadonlySet<string>
  /** Uids of affected Pods, oldest first. Grows while the fault lasts. */
  readonly met: Set<string>
  readonly isOver: boolean
}

export const affectsPod = (view: ClusterView["Service"], podFault: LastingPodFault, pod: Pod): boolean => {
  if (podFault.type === "pullFails") {
    const { containers, initContainers = [] } = pod.spec
    return [...containers, ...initContainers].some((container) => isUnpullable(podFault.image, container))
  }
  const { uid } = pod.metadata
  if (podFault.type === "slowStart") return podFault.among.met.has(uid)
  const { among } = podFault
  return among.uids === undefined ? isChosenPod(view, among.choice, pod) : among.uids.has(uid)
}

export const isUnpullable = (
  glob: string,
  { image = "", imagePullPolicy }: Pick<Core.Container, "image" | "imagePullPolicy">
): boolean => imagePullPolicy !== "Never" && compileGlob(glob)(image)

export const lifeUnderFault = (
  podFault: LastingPodFault,
  life: ContainerLife,
  target: { readonly container: Core.Container; readonly role: ContainerRole; readonly podUid: string }
): ContainerLife => {
  if (podFault.type === "pullFails") {
    return isUnpullable(podFault.image, target.container)
      ? { ...life, pullFailures: Infinity, pullError: podFault.error }
      : life
  }
  // An init container serves nothing that could crash, flap or be slow to start.
  if (target.role === "init") return life
  switch (podFault.type) {
    case "crash": {
      const { code, reason } = podFault
      const afterMillis = Math.min(crashMillis, Math.floor(life.readyMillis / 2))
      return { ...life, exit: { afterMillis, code, reason, times: Infinity } }
    }
    case "flap": {
      const { readyMillis, unreadyMillis } = podFault
      return { ...life, flap: { readyMillis, unreadyMillis, times: Infinity } }
    }
    case "slowStart": {
      const { by, seed } = podFault
      const random = randomGeneratorFor(seed, by, target.podUid)
      return { ...life, readyMillis: life.readyMillis + compileDelay(by).draw(random) }
    }
  }
}

/** A container crashes this long after its start, or halfway to readiness if that is sooner. */
const crashMillis = 1000
