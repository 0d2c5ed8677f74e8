import type * as Core from "kubernetes-types/core/v1.js"

/** Commands that run until their container is stopped. */
const endlessCommands =
  /\bsleep\s+inf(?:inity)?\b|\btail\s+-[fF]\b|\bwhile\s+(?:true|:)\s*;(?![^]*\b(?:break|exit)\b)/u

/**
 * The endless command of an init container, by which its Pod never starts: the next containers wait until it has ended.
 * Undefined for sidecars, which are not waited for.
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (computeInitContainerActions).
 */
export const endlessInitCommand = ({
  restartPolicy,
  command = [],
  args = []
}: Core.Container): string | undefined =>
  restartPolicy === "Always"
    ? undefined
    : endlessCommands.exec([...command, ...args].join(" "))?.[0].replace(/\s*;$/u, "")
