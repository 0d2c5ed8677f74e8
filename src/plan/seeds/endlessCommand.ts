import { allContainersOf } from "../draftPodSpec.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

/** Commands that run until their container is stopped. */
const endlessCommands =
  /\bsleep\s+inf(?:inity)?\b|\btail\s+-[fF]\b|\bwhile\s+(?:true|:)\s*;(?![^]*\b(?:break|exit)\b)/u

/** A container that its Pod waits for, with the command by which it never ends. */
interface EndlessContainer {
  readonly container: Core.Container
  readonly command: string
}

/**
 * Containers with endless commands of which the Pod waits for the end: init containers, before the next ones start,
 * and all others of a Pod that is to end, as a Job's. Sidecars are not waited for.
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (computeInitContainerActions), pkg/kubelet/kubelet_pods.go
 * (getPhase).
 */
export const endlessContainers = (spec: Partial<PodSpec>): ReadonlyArray<EndlessContainer> => {
  const { restartPolicy = "Always", initContainers = [] } = spec
  const awaited = restartPolicy === "Always" ? initContainers : allContainersOf(spec)
  return awaited.flatMap((container) => {
    const command = container.restartPolicy === "Always" ? undefined : endlessCommandOf(container)
    return command === undefined ? [] : [{ container, command }]
  })
}

const endlessCommandOf = ({ command = [], args = [] }: Core.Container): string | undefined =>
  endlessCommands.exec([...command, ...args].join(" "))?.[0].replace(/\s*;$/u, "")
