import { allContainersOf } from "../draftPodSpec.ts"
import { isSidecar } from "../../kubernetes/pods/containers/containerRoles.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

/** Forbids a `timeout` before the command, which would end it. */
const withoutTimeout = String.raw`(?<!\btimeout\s[^;|&\n]*)`
/** The rest of a command; `2>&1` is a part of it. */
const restOfCommand = String.raw`(?:[^;|&\n]|>&)*`
/** A script goes on after a command in the background, or a pipe whose reader may stop early. */
const thenScriptGoesOn = String.raw`(?:(?<!>)&(?!&|\s*wait\b)|\|(?!\|)\s*(?:awk|grep|head|sed)\b)`

const endlessCommands = new RegExp(
  [
    String.raw`${withoutTimeout}\b(?:sleep\s+inf(?:inity)?|tail\s+-[fF])\b(?!${restOfCommand}(?:--pid\b|${thenScriptGoesOn}))`,
    String.raw`${withoutTimeout}\bwhile\s+(?:true|:)\s*;(?![^]*(?:\b(?:break|exit|return)\b|\bdone\s*&(?!&)))`
  ].join("|"),
  "u"
)

interface EndlessContainer {
  readonly container: Core.Container
  readonly command: string
}

/**
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (computeInitContainerActions),
 * pkg/kubelet/kubelet_pods.go (getPhase).
 */
export const containersThatEnd = (spec: Partial<PodSpec>): ReadonlyArray<Core.Container> => {
  const { restartPolicy = "Always", initContainers = [] } = spec
  const mayHaveToEnd = restartPolicy === "Always" ? initContainers : allContainersOf(spec)
  return mayHaveToEnd.filter((container) => !initContainers.includes(container) || !isSidecar(container))
}

export const endlessContainers = (spec: Partial<PodSpec>): ReadonlyArray<EndlessContainer> =>
  containersThatEnd(spec).flatMap((container) => {
    const command = endlessCommandOf(container)
    return command === undefined ? [] : [{ container, command }]
  })

export const endlessCommandOf = ({ command = [], args = [] }: Core.Container): string | undefined =>
  endlessCommands.exec([...command, ...args].join(" "))?.[0].replace(/\s*;$/u, "")
