import type * as Core from "kubernetes-types/core/v1.js"

export type ContainerRole = "app" | "init" | "sidecar" | "ephemeral"

export const isSidecar = ({ restartPolicy }: Core.Container): boolean => restartPolicy === "Always"

export const initContainerRole = (container: Core.Container): ContainerRole =>
  isSidecar(container) ? "sidecar" : "init"
