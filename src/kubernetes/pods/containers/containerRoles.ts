import type * as Core from "kubernetes-types/core/v1.js"

/**
 * `init` runs to completion before the next begins; `sidecar` is an init container that keeps running; `ephemeral` was
 * added to a Pod that runs, and no state of the Pod depends on it.
 */
export type ContainerRole = "app" | "init" | "sidecar" | "ephemeral"

/** Whether an init container is a sidecar. */
export const isSidecar = ({ restartPolicy }: Core.Container): boolean => restartPolicy === "Always"

export const initContainerRole = (container: Core.Container): ContainerRole =>
  isSidecar(container) ? "sidecar" : "init"
