import { containerSeccompAnnotation } from "./podSecurityChecks.ts"
import type { KubeObject, Pod } from "../../meta/objects.ts"

/**
 * Whether Pod Security must check an update. Other fields that it restricts cannot change.
 * Source: pod-security-admission/admission/admission.go (isSignificantPodUpdate).
 */
export const isSignificantPodUpdate = (next: KubeObject, old: KubeObject): boolean => {
  const [pod, oldPod] = [next as Pod, old as Pod]
  const isChanged = (container: NamedContainer, oldContainer: NamedContainer | undefined): boolean => {
    const annotation = `${containerSeccompAnnotation}${container.name}`
    return (
      container.image !== oldContainer?.image ||
      pod.metadata.annotations?.[annotation] !== oldPod.metadata.annotations?.[annotation]
    )
  }
  const isListChanged = (list: "containers" | "initContainers"): boolean => {
    const [containers, oldContainers] = [pod.spec[list] ?? [], oldPod.spec[list] ?? []]
    return (
      containers.length !== oldContainers.length ||
      containers.some((container, index) => isChanged(container, oldContainers[index]))
    )
  }
  const { ephemeralContainers = [] } = pod.spec
  const oldEphemeral = oldPod.spec.ephemeralContainers ?? []
  return (
    isListChanged("containers") ||
    isListChanged("initContainers") ||
    ephemeralContainers.some((container) =>
      isChanged(
        container,
        oldEphemeral.find(({ name }) => name === container.name)
      )
    )
  )
}

interface NamedContainer {
  readonly name: string
  readonly image?: string
}
